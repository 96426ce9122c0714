import type { Duplex } from 'node:stream'
import { MachineError } from '../../contract/errors.ts'
import type { MachineHandle } from '../../contract/handle.ts'
import type { MachineHealth } from '../../contract/health.ts'
import type { Death, Endpoint, Machine } from '../../contract/machine.ts'
import type { ExecSpec, MachineProcess } from '../../contract/process.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import { debianGuest } from '../../guests/debian.ts'
import { AdbPhone } from '../../screens/adb/adb-phone.ts'
import { linkOver } from '../../screens/adb/device.ts'
import { RfbPhoneScreen } from '../../screens/rfb-phone-screen.ts'
import { XDesktop } from '../../screens/x-desktop.ts'
import { HealthRecord } from '../health-record.ts'
import { exec } from './guest/exec.ts'
import { AgentFiles } from './guest/files.ts'
import type { Guest, GuestConsole } from './guest/guest.ts'
import { type Watch, watchMachine } from './guest/watch.ts'
import { dial, type GuestEndpoint } from './network/dial.ts'

/** What a process must know of a machine to talk to it, besides the way into it. */
export interface LocalReach {
  readonly handle: MachineHandle
  readonly screenSize: ScreenSize
  /** The ADB endpoint of a simulated phone; undefined for a desktop. */
  readonly adb?: GuestEndpoint | undefined
  /** Set if the machine is used through its virtual hardware. It is then opened as another kind of machine. */
  readonly console?: GuestConsole | undefined
}

interface LocalMachineParts extends LocalReach {
  readonly guest: Guest
  readonly watch: Watch
  /** Called once, when the machine has ended or was closed. */
  readonly onClose: () => void
}

export class LocalMachine implements Machine {
  readonly handle: MachineHandle
  readonly screenSize: ScreenSize
  readonly guest = debianGuest
  readonly files: AgentFiles
  readonly died: Promise<Death>
  readonly screen: XDesktop | RfbPhoneScreen
  readonly phone: AdbPhone | undefined
  readonly #guest: Guest
  readonly #adb: GuestEndpoint | undefined
  readonly #watch: Watch
  readonly #health = new HealthRecord()
  readonly #onClose: () => void
  #isClosed = false

  private constructor({ handle, screenSize, guest, watch, adb, onClose }: LocalMachineParts) {
    this.handle = handle
    this.screenSize = screenSize
    this.#guest = guest
    this.#adb = adb
    this.#watch = watch
    this.#onClose = onClose
    this.died = watch.died
    this.files = new AgentFiles(guest)
    this.phone = adb && new AdbPhone(linkOver(() => this.dial(adb)))
    const desktop = new XDesktop(
      { dial: this.dial.bind(this), exec: this.exec.bind(this), activity: () => guest.activity() },
      failure => this.#health.screenFailed(failure),
      screenSize,
    )
    this.screen = this.phone ? new RfbPhoneScreen(desktop, this.phone.screen) : desktop
    watch.onRestart = restart => this.#health.restarted(restart)
    watch.onReach = failure => this.#health.machineFailed(failure)
    // Close the screen, because callers would wait for a desktop that never comes back.
    void watch.died.then(() => this.close())
  }

  /** Connects to a running machine, which something else may watch already. */
  static async open(
    reach: LocalReach,
    guest: Guest,
    onClose: () => void,
    watch?: Watch,
  ): Promise<LocalMachine> {
    return new LocalMachine({ ...reach, guest, watch: watch ?? (await watchMachine(guest)), onClose })
  }

  get health(): MachineHealth {
    return this.#health.now
  }

  set onHealth(onHealth: (health: MachineHealth) => void) {
    this.#health.onChange = onHealth
  }

  get onHealth(): (health: MachineHealth) => void {
    return this.#health.onChange
  }

  exec(spec: ExecSpec): Promise<MachineProcess> {
    return exec(this.#guest, spec)
  }

  async dial(endpoint: Endpoint, options: { readonly signal?: AbortSignal } = {}): Promise<Duplex> {
    return await dial(this.#guest, endpoint === 'adb' ? this.#adbd() : endpoint, options.signal)
  }

  #adbd(): GuestEndpoint {
    if (this.#adb) return this.#adb
    throw new MachineError('INVALID', 'This machine is not a phone, so it has no adbd.')
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.screen.close()
    this.files.close()
    this.#watch.close()
    this.#onClose()
  }
}
