import type { AdbLink } from '../../adb/adb-link.ts'
import { MachineError } from '../../contract/errors.ts'
import type { Connection } from './connection.ts'

/** What programs and files of a phone need to know of it. */
export class PhoneGuest {
  /** The id of the machine that the phone is now. */
  readonly machine: string
  readonly env: Readonly<Record<string, string>>
  /** The user that ADB is on the device. */
  readonly user: string
  readonly home: string
  readonly #connection: Connection

  private constructor(
    connection: Connection,
    machine: string,
    env: Readonly<Record<string, string>>,
    said: string,
  ) {
    const [user = '', home = ''] = said.split('\n')
    this.#connection = connection
    this.machine = machine
    this.env = env
    this.user = user
    this.home = home
  }

  static async meet(
    connection: Connection,
    machine: string,
    env: Readonly<Record<string, string>>,
  ): Promise<PhoneGuest> {
    const link = await connection.link()
    const said = String(await link.output(whoAndWhere, 4096))
    if (!/^[\w.-]+\n\/.*\n$/.test(said))
      throw new MachineError(
        'MACHINE_FAILED',
        `The device ${connection.address} does not tell who ADB is on it.`,
      )
    return new PhoneGuest(connection, machine, env, said)
  }

  link(): Promise<AdbLink> {
    return this.#connection.link()
  }

  requireUser(user: string | undefined): void {
    if (user !== undefined && user !== this.user)
      throw new MachineError('INVALID', `ADB is the user ${this.user} on this phone, and can be no other`)
  }
}

/** Android's shell has / as its home, where it may not write; then the folder that Android keeps for it will do. */
const whoAndWhere =
  'id -un; if [ -n "$HOME" ] && [ "$HOME" != / ] && [ -w "$HOME" ]; then printf "%s\\n" "$HOME"; else echo /data/local/tmp; fi'
