import type { Duplex } from 'node:stream'
import type { Engine, Machine } from '@sandglass/machines/contract'
import { Caller, Responder } from '@sandglass/rpc'
import { machineErrors } from '../errors.ts'
import { fileMethods, RemoteFiles, serveFiles } from '../files/index.ts'
import { portMethods, remoteDial, servePorts } from '../ports/index.ts'
import { processMethods, remoteExec, serveProcesses } from '../processes/index.ts'
import { overlay } from './overlay.ts'
import { readablePair } from './readable-pair.ts'

export const testedMethods = { ...fileMethods, ...processMethods, ...portMethods }

/** The parts of a machine that are used through a worker here. */
export type Served = Pick<Machine, 'files' | 'exec' | 'dial'>

/** What a front can do with a machine through its worker, as far as it is tested here. */
export interface Reached extends Served {
  readonly caller: Caller<typeof testedMethods>
}

/** A front at the end of a stream. */
export function frontOn(stream: Duplex): Reached {
  const caller = new Caller(stream, { methods: testedMethods, errors: machineErrors })
  return {
    caller,
    files: new RemoteFiles(caller, 'the machine'),
    exec: spec => remoteExec(caller, 'the machine', spec),
    dial: (endpoint, options) => remoteDial(caller, 'the machine', endpoint, options),
  }
}

/** A worker at the end of a stream, with one machine. */
export function workerOn(stream: Duplex, machine: Served): Responder<typeof testedMethods> {
  const find = () => machine
  const handlers = { ...serveFiles(find), ...serveProcesses(find), ...servePorts(find) }
  return new Responder(stream, { methods: testedMethods, handlers, errors: machineErrors })
}

/** A front and a worker that are connected by unix sockets. */
export async function throughRpc(machine: Served) {
  const [front, back] = await readablePair()
  return { ...frontOn(front), responder: workerOn(back, machine) }
}

/** An engine whose machines are used through a worker, as far as it is tested here. */
export function withRemoteMachines(engine: Engine): Engine {
  const callers: { close(): void }[] = []
  return overlay(engine, {
    close: async () => {
      for (const caller of callers) caller.close()
      await engine.close()
    },
    open: async handle => {
      const machine = await engine.open(handle)
      const { files, exec, dial, caller } = await throughRpc(machine)
      callers.push(caller)
      const close = () => {
        machine.close()
        caller.close()
      }
      return overlay(machine, { files, exec, dial, close })
    },
  })
}
