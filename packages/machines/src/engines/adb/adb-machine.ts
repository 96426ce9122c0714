import type { Duplex } from 'node:stream'
import type { GuestProfile } from '../../contract/guest-profile.ts'
import type { MachineHandle } from '../../contract/handle.ts'
import type { MachineHealth } from '../../contract/health.ts'
import type { Death, Endpoint, Machine } from '../../contract/machine.ts'
import type { ExecSpec, MachineProcess } from '../../contract/process.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import { androidGuest } from '../../guests/android.ts'
import { AdbPhone } from '../../screens/adb/adb-phone.ts'
import type { AdbScreen } from '../../screens/adb/adb-screen.ts'
import type { ScreenVideo } from '../../screens/adb/screen-video.ts'
import type { Connection } from './connection.ts'
import { dial } from './dial.ts'
import { exec } from './exec.ts'
import { PhoneFiles } from './files.ts'
import { openLinkWithRetry } from './open-link.ts'
import { PhoneGuest } from './phone-guest.ts'
import { screenSizeOf } from './screen-size.ts'

/** A phone that is claimed by a tenant. */
export class AdbMachine implements Machine {
  readonly handle: MachineHandle
  readonly screenSize: ScreenSize
  readonly guest: GuestProfile
  readonly files: PhoneFiles
  readonly phone: AdbPhone
  readonly screen: AdbScreen
  readonly died: Promise<Death>
  readonly #connection: Connection
  readonly #guest: PhoneGuest
  readonly #death = Promise.withResolvers<Death>()
  /** A phone that cannot be reached counts as ended, so there is no other problem to report. */
  readonly health: MachineHealth = {}
  onHealth: (health: MachineHealth) => void = () => {}
  /** Called when the machine has ended or was closed. */
  onClose: () => void = () => {}

  private constructor(
    handle: MachineHandle,
    connection: Connection,
    guest: PhoneGuest,
    screenSize: ScreenSize,
    video: ScreenVideo | undefined,
  ) {
    this.handle = handle
    this.screenSize = screenSize
    this.#connection = connection
    this.#guest = guest
    this.guest = androidGuest(guest)
    this.files = new PhoneFiles(guest)
    this.phone = new AdbPhone(openLinkWithRetry(connection.route), video)
    this.screen = this.phone.screen
    this.died = this.#death.promise
    void connection.lost.then(reason => this.end(reason))
  }

  static async open(
    handle: MachineHandle,
    connection: Connection,
    machine: string,
    env: Readonly<Record<string, string>>,
    video?: ScreenVideo,
  ): Promise<AdbMachine> {
    const guest = await PhoneGuest.probe(connection, machine, env)
    const screenSize = await screenSizeOf(await connection.link())
    return new AdbMachine(handle, connection, guest, screenSize, video)
  }

  exec(spec: ExecSpec): Promise<MachineProcess> {
    return exec(this.#guest, spec)
  }

  async dial(endpoint: Endpoint, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Duplex> {
    return await dial(await this.#guest.link(), endpoint, signal)
  }

  /** Ends the machine because the tenant has lost the device. */
  end(reason: string): void {
    this.#death.resolve({ reason, orderly: false, cause: 'engine-lost' })
    this.close()
  }

  close(): void {
    this.screen.close()
    this.#connection.close()
    this.onClose()
  }
}
