import type { IncusClient } from './client/index.ts'
import type { ClusterMember } from './list-members.ts'

/** A member that is there answers what needs no database at once. */
const answerMs = 2000
/** In so many looks in a row the leader must have been silent, so that a pause of this process is not taken for a loss. */
const minLooks = 3
/** For so long the database must have been silent. Incus gives a member without heartbeats as much time. */
const minSilenceMs = 11_000

/**
 * Finds out that the member which led the database of the cluster is gone, from what this process sees itself.
 *
 * Until the database has another leader, Incus can say nothing of any member. That takes 10 to 16 s if the leader was killed, but more
 * than 30 s if its network was cut off in one direction, because the other members wait for their connections to it. Members that are
 * there still answer what needs no database. So if most members do and the leader does not, while none answers a question to the
 * database, then it is the leader that is gone, and neither the whole cluster slow nor our own network broken.
 */
export class LostLeader {
  readonly #client: IncusClient
  /** Since when no question to the database was answered. */
  #silentSinceMs: number | undefined
  #suspect: string | undefined
  #looks = 0

  constructor(client: IncusClient) {
    this.#client = client
  }

  /** Returns the leader if it is silent while most members are there. The members are those that were described last. */
  async suspect(members: readonly ClusterMember[]): Promise<string | undefined> {
    const leader = members.find(({ roles }) => roles.includes('database-leader'))
    if (!leader) return undefined
    const there: string[] = []
    const ask = async ({ name, url }: ClusterMember) => {
      if (await this.#client.isThere(url, { deadlineMs: answerMs })) there.push(name)
    }
    await Promise.all(members.map(ask))
    return there.length * 2 > members.length && !there.includes(leader.name) ? leader.name : undefined
  }

  /** Call this when a question to the database was answered. */
  answered(): void {
    this.#silentSinceMs = undefined
    this.#looks = 0
  }

  /** Call this when none was, with the {@link suspect}. Returns it if it is gone. */
  unanswered(suspect: string | undefined): string | undefined {
    const nowMs = performance.now()
    this.#silentSinceMs ??= nowMs
    this.#looks = suspect !== undefined && suspect === this.#suspect ? this.#looks + 1 : 1
    this.#suspect = suspect
    return this.#looks >= minLooks && nowMs - this.#silentSinceMs >= minSilenceMs ? suspect : undefined
  }
}
