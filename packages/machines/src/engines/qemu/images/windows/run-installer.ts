import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { Duplex } from 'node:stream'
import { QmpClient } from '../../machine/qmp-client.ts'
import { confinedCommand } from '../confined-root.ts'
import { type InstallerMachine, installerArguments, installerScript, workPlace } from './installer-machine.ts'

/** QEMU waits for its TPM, which writes its state first. */
const startTimeoutMs = 300_000

export interface InstallerMedia {
  /** The folder of the image that is being made. It belongs to the unprivileged user. */
  readonly folder: string
  readonly windows: string
  readonly virtio: string
}

/** How a machine ended. */
export interface InstallerEnd {
  /** The system in the machine switched it off. */
  readonly isShutDown: boolean
  /** What QEMU and the TPM printed. */
  readonly printed: string
}

/** A machine in which a system is installed. It ends with this process. */
export class Installer {
  readonly qmp: QmpClient
  readonly ended: Promise<InstallerEnd>
  readonly #child: ChildProcess
  #resets = 0
  #isShutDown = false
  #printed = ''

  private constructor(child: ChildProcess) {
    const { stdin, stdout, stderr } = child
    if (!stdin || !stdout || !stderr) throw new Error('QEMU was started without pipes.')
    this.#child = child
    this.qmp = new QmpClient(Duplex.from({ readable: stdout, writable: stdin }))
    this.qmp.onEvent((event, data) => this.#note(event, data))
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#printed = (this.#printed + text).slice(-4000)
    })
    this.ended = once(child, 'close').then(() => ({ isShutDown: this.#isShutDown, printed: this.#printed }))
  }

  /** How often the system in the machine has restarted it. */
  get resets(): number {
    return this.#resets
  }

  static async start(machine: InstallerMachine, media: InstallerMedia): Promise<Installer> {
    const places = [{ path: media.folder, at: workPlace, writable: true }]
    const script = ['sh', '-c', installerScript, 'installer', ...installerArguments(machine)]
    const [command, ...args] = confinedCommand({ places, kvm: machine.accelerator === 'kvm' }, script)
    await using windows = await open(media.windows)
    await using virtio = await open(media.virtio)
    // Ctrl-C must reach only this process, which then ends the machine.
    const child = spawn(command, args, {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', windows.fd, virtio.fd],
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
    })
    const installer = new Installer(child)
    try {
      await installer.qmp.begin(startTimeoutMs)
      return installer
    } catch (cause) {
      await installer.stop()
      throw new Error(`The machine could not be started: ${installer.#printed.trim() || cause}`, { cause })
    }
  }

  /** Ends the machine and its TPM, and returns when they are gone. */
  async stop(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }

  #note(event: string, data: Readonly<Record<string, unknown>>): void {
    if (event === 'SHUTDOWN') this.#isShutDown = data['guest'] === true
    if (event === 'RESET' && data['guest'] === true) this.#resets++
  }
}
