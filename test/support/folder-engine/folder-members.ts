import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineMember, MemberStatus } from '@sandglass/machines/contract'

interface MemberFile {
  readonly status: MemberStatus
  /** Whether the network to the member is broken, while the cluster still has it. */
  readonly isCut?: boolean
}

/** The members of a cluster. Each is a file `NAME.member`; a cluster without such files has none. */
export class FolderMembers {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  set(name: string, member: MemberFile): void {
    writeFileSync(join(this.#folder, `${name}.member`), JSON.stringify(member))
  }

  /** Why the machines of a member are lost, or undefined if they are not. */
  whyLost(name: string | undefined): string | undefined {
    return this.#read(name)?.status === 'offline' ? `The member ${name} of the cluster is gone.` : undefined
  }

  /** Why the machines of a member cannot be reached, or undefined if they can. */
  whyCut(name: string | undefined): string | undefined {
    return this.#read(name)?.isCut ? `The network to the member ${name} is broken.` : undefined
  }

  /** @param used the members of all machines */
  list(used: readonly (string | undefined)[]): EngineMember[] {
    const counts = new Map<string | undefined, number>()
    for (const name of used) counts.set(name, (counts.get(name) ?? 0) + 1)
    return this.#names().map(name => {
      const status = this.#read(name)?.status ?? 'offline'
      const reason = this.whyLost(name)
      const machines = counts.get(name) ?? 0
      return { name, status, machines, fits: 1000 - machines, ...(reason && { reason }) }
    })
  }

  /** Chooses the member for a new machine: the preferred one, or the one with the fewest machines. */
  choose(preferred: string | undefined, used: readonly (string | undefined)[]): string | undefined {
    const open = this.list(used).filter(({ status, name }) => status === 'online' && !this.whyCut(name))
    const [fewest] = open.toSorted((a, b) => a.machines - b.machines || a.name.localeCompare(b.name))
    return open.find(({ name }) => name === preferred)?.name ?? fewest?.name
  }

  #names(): string[] {
    return readdirSync(this.#folder).flatMap(name => /^(.*)\.member$/.exec(name)?.[1] ?? [])
  }

  #read(name: string | undefined): MemberFile | undefined {
    const file = join(this.#folder, `${name}.member`)
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
  }
}
