import { z } from 'zod'
import type { EngineMember, MemberStatus } from '../../contract/members.ts'
import { read } from './client/answers.ts'
import type { IncusClient } from './client/index.ts'
import { type ClusterMember, listMembers } from './list-members.ts'
import type { IncusSettings } from './options.ts'

const lookEveryMs = 3000
/** Incus itself waits much longer for a member that does not answer. */
const deadlineMs = 3000

const Server = z.object({ environment: z.object({ server_name: z.string() }) })
const Space = z.object({ used: z.number().default(0), total: z.number().default(0) })
const State = z.object({
  sysinfo: z.object({ free_ram: z.number(), buffered_ram: z.number().default(0) }),
  storage_pools: z.record(z.string(), z.object({ space: Space })).nullish(),
})

const statuses: Readonly<Record<string, MemberStatus>> = {
  Online: 'online',
  Evacuated: 'evacuated',
  Blocked: 'draining',
}

type Room = Pick<EngineMember, 'freeMemoryMiB' | 'freeDiskMiB'>

/** The members of the cluster, as it last described them. It looks again every few seconds as long as it is open. */
export class Members {
  readonly #client: IncusClient
  readonly #settings: IncusSettings
  readonly #rooms = new Map<string, Room>()
  readonly #timer: NodeJS.Timeout
  #members: readonly Omit<EngineMember, 'machines'>[] = []
  #problem: string | undefined
  #looking: Promise<void> | undefined
  /** Called with all members, whenever the cluster was asked. */
  onListed: (members: readonly ClusterMember[]) => void = () => {}
  /** Called with the names of the members that do not answer the others, whenever the cluster was asked. */
  onAway: (members: ReadonlySet<string>) => void = () => {}

  constructor(client: IncusClient, settings: IncusSettings) {
    this.#client = client
    this.#settings = settings
    this.#timer = setInterval(() => void this.look(), lookEveryMs).unref()
  }

  /** Why the cluster cannot be asked; undefined if it answered the last time. */
  get problem(): string | undefined {
    return this.#problem
  }

  async known(): Promise<readonly Omit<EngineMember, 'machines'>[]> {
    if (this.#members.length === 0) await this.look()
    return this.#members
  }

  /** Whether the cluster has given up a member. */
  async isLost(name: string): Promise<boolean> {
    const find = async () => (await this.known()).find(member => member.name === name)
    return (await find())?.status === 'offline'
  }

  /** Asks the cluster, which calls that come together do once. */
  look(): Promise<void> {
    this.#looking ??= this.#ask().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #ask(): Promise<void> {
    try {
      const listed = await listMembers(this.#client, { deadlineMs })
      // Right after the leader of the database was lost, members do not even know of themselves that they are there.
      const { environment } = read(Server, await this.#client.get('', { deadlineMs }), 'what it is')
      if (listed.some(one => one.name === environment.server_name && one.status === 'Offline')) return
      await Promise.all(
        listed.filter(({ status }) => status === 'Online').map(one => this.#measure(one.name)),
      )
      this.#members = listed.map(({ name, status, message }) => {
        const known = statuses[status] ?? 'offline'
        return {
          name,
          status: known,
          ...(known !== 'online' && { reason: message || `Incus says that it is ${status}.` }),
          ...(known === 'online' && this.#rooms.get(name)),
        }
      })
      this.#problem = undefined
      this.onListed(listed)
      this.onAway(new Set(this.#members.filter(({ status }) => status === 'offline').map(({ name }) => name)))
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error)
    }
  }

  /** A member that does not answer in time keeps what was known of it. */
  async #measure(name: string): Promise<void> {
    try {
      const path = `/cluster/members/${encodeURIComponent(name)}/state`
      const state = read(State, await this.#client.get(path, { deadlineMs }), 'the state of a member')
      const space = state.storage_pools?.[this.#settings.pool]?.space
      const mebi = (bytes: number) => Math.floor(bytes / 2 ** 20)
      this.#rooms.set(name, {
        freeMemoryMiB: mebi(state.sysinfo.free_ram + state.sysinfo.buffered_ram),
        ...(space && { freeDiskMiB: mebi(space.total - space.used) }),
      })
    } catch {}
  }
}
