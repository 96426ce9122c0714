import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createConnection, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../../../contract/errors.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { installMissing } from '../../local/host/debian-packages.ts'
import type { ConsoleAccess } from './console-access.ts'
import { LineRelay } from './test-line-relay.ts'

const program = '/usr/bin/qemu-system-x86_64'
const firmware = { code: '/usr/share/OVMF/OVMF_CODE.fd', vars: '/usr/share/OVMF/OVMF_VARS.fd' }

const packages = [
  { name: 'qemu-system-x86', file: program, why: 'runs the machine' },
  { name: 'ovmf', file: firmware.code, why: 'is what runs in it' },
]

const inputCommands: ReadonlySet<string> = new Set(['input-send-event', 'query-status', 'query-mice'])

/**
 * A QEMU that boots into the shell of its firmware when it is switched on, and a stand-in for the host's side of the
 * engine.
 */
export class TestConsole {
  readonly access: ConsoleAccess
  readonly process: ChildProcess
  readonly #folder: string
  readonly #relay: LineRelay

  private constructor(folder: string, process: ChildProcess, relay: LineRelay) {
    this.#folder = folder
    this.process = process
    this.#relay = relay
    const ended = once(process, 'exit').then(() => true)
    this.access = {
      connect: socket => {
        if (socket === 'qga')
          return Promise.reject(new MachineError('REFUSED', 'this machine has no channel to an agent'))
        return connected(join(folder, socket === 'rfb' ? 'vnc' : 'input'))
      },
      dialPort: undefined,
      isAwake: async () => true,
      assertStorable: async () => {},
      // A process closes its sockets some milliseconds before it has ended.
      ending: async () => ({
        hasEnded: await Promise.race([ended, pause(1500, false)]),
        ranOutOfMemory: false,
      }),
    }
  }

  static async start(): Promise<TestConsole> {
    await installMissing(packages)
    const folder = await mkdtemp(join(tmpdir(), 'sandglass-console-'))
    await copyFile(firmware.vars, join(folder, 'vars'))
    const qemu = spawn(
      program,
      [
        ['-S', '-nodefaults', '-machine', 'q35', '-accel', 'tcg', '-m', '192', '-display', 'none'],
        ['-drive', `if=pflash,format=raw,readonly=on,file=${firmware.code}`],
        ['-drive', `if=pflash,format=raw,file=${join(folder, 'vars')}`],
        ['-device', 'VGA,vgamem_mb=8', '-device', 'qemu-xhci', '-device', 'usb-tablet'],
        ['-vnc', `unix:${join(folder, 'vnc')},share=force-shared`],
        ['-qmp', `unix:${join(folder, 'qmp')},server=on,wait=off`],
        ['-trace', `enable=input_event_*,file=${join(folder, 'trace')}`, '-D', join(folder, 'trace')],
      ].flat(),
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    try {
      for (const socket of ['vnc', 'qmp']) await waitFor(() => accepts(join(folder, socket)))
      const relay = await LineRelay.listen(join(folder, 'input'), join(folder, 'qmp'), {
        begin: 'qmp_capabilities',
        allowed: inputCommands,
      })
      return new TestConsole(folder, qemu, relay)
    } catch (error) {
      qemu.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true })
      throw error
    }
  }

  switchOn(): void {
    this.#relay.send('cont')
  }

  /** What QEMU has recorded of the input that it was given, one event per line. */
  async trace(): Promise<string[]> {
    return (await readFile(join(this.#folder, 'trace'), 'utf8')).trim().split('\n')
  }

  async close(): Promise<void> {
    this.#relay.close()
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill('SIGKILL')
      await once(this.process, 'exit')
    }
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** Connects to a unix socket of the host. */
export async function connected(path: string): Promise<Socket> {
  const socket = createConnection({ path, allowHalfOpen: true })
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return socket.on('error', () => {})
}

/** Whether somebody listens on a socket. It exists a moment before that. */
export async function accepts(path: string): Promise<boolean> {
  const socket = await connected(path).catch(() => undefined)
  socket?.destroy()
  return socket !== undefined
}
