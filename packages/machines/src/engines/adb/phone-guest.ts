import type { AdbLink } from '../../adb/adb-link.ts'
import { MachineError } from '../../contract/errors.ts'
import type { Connection } from './connection.ts'

/** What exec and files need to know about a phone. */
export class PhoneGuest {
  /** The id of the machine to which the phone is assigned. */
  readonly machine: string
  readonly env: Readonly<Record<string, string>>
  /** The user as which ADB runs on the device. */
  readonly user: string
  readonly home: string
  readonly #connection: Connection

  private constructor(
    connection: Connection,
    machine: string,
    env: Readonly<Record<string, string>>,
    output: string,
  ) {
    const [user = '', home = ''] = output.split('\n')
    this.#connection = connection
    this.machine = machine
    this.env = env
    this.user = user
    this.home = home
  }

  static async probe(
    connection: Connection,
    machine: string,
    env: Readonly<Record<string, string>>,
  ): Promise<PhoneGuest> {
    const link = await connection.link()
    const output = String(await link.output(probeScript, 4096))
    if (!/^[\w.-]+\n\/.*\n$/.test(output))
      throw new MachineError(
        'MACHINE_FAILED',
        `The device ${connection.route.address} does not report its ADB user.`,
      )
    return new PhoneGuest(connection, machine, env, output)
  }

  link(): Promise<AdbLink> {
    return this.#connection.link()
  }

  requireUser(user: string | undefined): void {
    if (user !== undefined && user !== this.user)
      throw new MachineError(
        'INVALID',
        `programs and files of this phone belong to the user ${this.user}; other users are not available`,
      )
  }
}

/**
 * The home of Android's shell is /, which is read-only, so this falls back to the folder that Android provides for
 * the shell.
 */
const probeScript =
  'id -un; if [ -n "$HOME" ] && [ "$HOME" != / ] && [ -w "$HOME" ]; then printf "%s\\n" "$HOME"; else echo /data/local/tmp; fi'
