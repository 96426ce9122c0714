import { posix } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Files } from '@sandglass/machines/contract'

/** The names of users and groups by their numbers. */
export interface AccountNames {
  readonly users: ReadonlyMap<number, string>
  readonly groups: ReadonlyMap<number, string>
}

/** The users of a sandbox, whose names are read inside it. */
export class GuestUsers {
  readonly #files: Pick<Files, 'read'>
  readonly #home: string

  /** @param home the home folder of the default user */
  constructor(files: Pick<Files, 'read'>, home: string) {
    this.#files = files
    this.#home = home
  }

  async names(): Promise<AccountNames> {
    const [users, groups] = await Promise.all([this.#accounts('/etc/passwd'), this.#accounts('/etc/group')])
    return { users, groups }
  }

  /** Returns a path as it is meant: `~` and what is relative begin at the home folder of the user. */
  resolve(path: string, user: string | undefined): string {
    const home = this.#homeOf(user)
    return posix.resolve(home, path.replace(/^~(?=\/|$)/, home))
  }

  #homeOf(user: string | undefined): string {
    if (user === undefined) return this.#home
    return user === 'root' ? '/root' : `/home/${user}`
  }

  /** A sandbox without these files has numbers only. */
  async #accounts(file: string): Promise<ReadonlyMap<number, string>> {
    const content = await this.#files.read(file, { length: 1024 * 1024 }).then(text, () => '')
    const lines = content.split('\n').map(line => line.split(':'))
    return new Map(lines.map(([name = '', , number]) => [Number(number), name]))
  }
}
