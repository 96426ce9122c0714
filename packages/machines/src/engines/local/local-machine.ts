import type { Duplex } from 'node:stream'
import type { Files } from '../../contract/files.ts'
import type { MachineHandle } from '../../contract/handle.ts'
import type { Death, Endpoint, Machine } from '../../contract/machine.ts'
import type { ExecSpec, MachineProcess } from '../../contract/process.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import { AdbPhone } from '../../screens/adb/adb-phone.ts'
import { linkOver } from '../../screens/adb/device.ts'
import { ShownPhone } from '../../screens/shown-phone.ts'
import { XDesktop } from '../../screens/x-desktop.ts'
import { dial } from './dial.ts'
import { exec } from './exec.ts'
import { AgentFiles } from './files.ts'
import type { Guest } from './guest.ts'
import type { Watch } from './watch.ts'

export class LocalMachine implements Machine {
  readonly handle: MachineHandle
  readonly screenSize: ScreenSize
  readonly files: Files
  readonly died: Promise<Death>
  readonly screen: XDesktop | ShownPhone
  readonly phone: AdbPhone | undefined
  readonly #guest: Guest
  readonly #watch: Watch

  constructor(
    handle: MachineHandle,
    screenSize: ScreenSize,
    guest: Guest,
    watch: Watch,
    adb: Endpoint | undefined,
  ) {
    this.handle = handle
    this.screenSize = screenSize
    this.#guest = guest
    this.#watch = watch
    this.died = watch.died
    this.files = new AgentFiles(guest)
    this.phone = adb && new AdbPhone(linkOver(() => this.dial(adb)))
    const desktop = new XDesktop(this)
    this.screen = this.phone ? new ShownPhone(desktop, this.phone.screen) : desktop
    // Whoever waits for its desktop to come back waits in vain.
    void watch.died.then(() => this.screen.close())
  }

  exec(spec: ExecSpec): Promise<MachineProcess> {
    return exec(this.#guest, spec)
  }

  dial(endpoint: Endpoint, options: { readonly signal?: AbortSignal } = {}): Promise<Duplex> {
    return dial(this.#guest, endpoint, options.signal)
  }

  close(): void {
    this.screen.close()
    this.#watch.close()
  }
}
