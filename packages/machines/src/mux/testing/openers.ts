import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { patienceMs } from '../../testing/wait-for.ts'
import { MuxSession } from '../mux-session.ts'
import type { TestMachine } from './line.ts'

/** One of the two implementations of the side that opens streams, which greets when it is started. */
export interface TestOpener {
  open(target: string): Promise<Duplex>
  dispose(): Promise<void>
}

export const openers: Readonly<Record<string, (machine: TestMachine) => Promise<TestOpener>>> = {
  async TypeScript(machine) {
    const session = await MuxSession.connect(machine.line(), { timeoutMs: patienceMs })
    return {
      open: target => session.open(target, { timeoutMs: patienceMs }),
      dispose: async () => session.close(),
    }
  },

  async Python(machine) {
    const folder = await mkdtemp(join(tmpdir(), 'mux-relay-'))
    const relay = machine.relay(['agent', 'rfb', 'x11'], folder)
    await relay.report()
    return {
      open: async target => {
        const socket = connect({ path: join(folder, target), allowHalfOpen: true })
        socket.on('error', () => {})
        return socket
      },
      dispose: () => rm(folder, { recursive: true, force: true }),
    }
  },
}
