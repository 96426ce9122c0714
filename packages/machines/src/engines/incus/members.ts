import { MachineError } from '../../contract/errors.ts'
import type { EngineMember, MemberStatus } from '../../contract/members.ts'
import type { IncusClient } from './client/index.ts'
import { type ClusterMember, listMembers } from './list-members.ts'
import { LostLeader } from './lost-leader.ts'
import { type MemberRoom, MemberRooms } from './member-rooms.ts'
import type { IncusSettings } from './options.ts'

const lookEveryMs = 3000
/** While a member, or all of them, leave questions without an answer. */
const lookAgainMs = 1000
const listDeadlineMs = 3000
/** Incus itself waits much longer for a member that does not answer. */
const stateDeadlineMs = 2000
/** A member is silent if it has left so many questions in a row without an answer, so that one that is busy for a moment is not. */
const maxUnanswered = 2

const statuses: Readonly<Record<string, MemberStatus>> = {
  Online: 'online',
  Evacuated: 'evacuated',
  Blocked: 'draining',
}
const leaderIsGone =
  'It does not answer, and as it led the database of the cluster, the others cannot say more.'

/** A member, with what decides whether it gets a machine. */
export type KnownMember = Omit<EngineMember, 'machines'> & MemberRoom & { readonly groups: readonly string[] }

/** Whether a member has answered a question. */
interface Asked {
  readonly name: string
  readonly hasAnswered: boolean
}

/**
 * The members of the cluster, as it last described them. It looks again every few seconds as long as it is open.
 *
 * The cluster describes a member as offline whose last heartbeat is too old. While one member is dead, the leader waits for its answer
 * before it notes the heartbeats of the others, so the cluster describes those as offline too, for half a minute and longer. A member is
 * therefore given up only if it leaves our own questions without an answer as well.
 */
export class Members {
  readonly #client: IncusClient
  readonly #rooms: MemberRooms
  readonly #leader: LostLeader
  /** How many questions in a row each member has left without an answer. */
  readonly #unanswered = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  #listed: readonly ClusterMember[] = []
  #members: readonly KnownMember[] = []
  #isLeaderLost = false
  #problem: string | undefined
  #looking: Promise<void> | undefined
  /** Called with all members, whenever the cluster was asked. */
  onListed: (members: readonly ClusterMember[]) => void = () => {}
  /** Called with the names of the members that are given up, whenever the cluster was asked. */
  onAway: (members: ReadonlySet<string>) => void = () => {}
  /** Called when a member was given up, or is back. */
  onChange: () => void = () => {}

  constructor(client: IncusClient, { pool }: Pick<IncusSettings, 'pool'>) {
    this.#client = client
    this.#rooms = new MemberRooms(client, pool, stateDeadlineMs)
    this.#leader = new LostLeader(client)
    this.#lookLater()
  }

  /** Why the cluster cannot be asked; undefined if it answered the last time. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Whether the cluster cannot be asked because the leader of its database is gone. */
  get isLeaderLost(): boolean {
    return this.#isLeaderLost
  }

  /** The members as they were described last, which is nothing until the cluster was asked. */
  get latest(): readonly KnownMember[] {
    return this.#members
  }

  async known(): Promise<readonly KnownMember[]> {
    if (this.#members.length === 0) await this.look()
    return this.#members
  }

  /** Whether a member is given up. */
  async isLost(name: string): Promise<boolean> {
    await this.known()
    return this.isKnownLost(name)
  }

  /** As {@link isLost}, from memory. */
  isKnownLost(name: string | undefined): boolean {
    return this.#members.find(member => member.name === name)?.status === 'offline'
  }

  /** Whether a member is drained, or about to be, by what the cluster says now. */
  async isDrained(name: string): Promise<boolean> {
    const listed = await listMembers(this.#client, { deadlineMs: listDeadlineMs })
    return listed.some(member => member.name === name && statuses[member.status] === 'evacuated')
  }

  /** Asks the cluster, which calls that come together do once. */
  look(): Promise<void> {
    this.#looking ??= this.#ask().finally(() => {
      this.#looking = undefined
      this.#lookLater()
    })
    return this.#looking
  }

  #lookLater(): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    const isTroubled = this.#problem !== undefined || this.#unanswered.values().some(count => count > 0)
    this.#timer = setTimeout(() => void this.look(), isTroubled ? lookAgainMs : lookEveryMs).unref()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #ask(): Promise<void> {
    // All at once, because a member that is gone takes long to be asked.
    const asked = this.#members.map(({ name }) => name)
    const measured = this.#measure(asked)
    const suspect = this.#problem === undefined ? undefined : this.#leader.suspect(this.#listed)
    try {
      const listed = await listMembers(this.#client, { deadlineMs: listDeadlineMs }).finally(async () =>
        this.#count(await measured),
      )
      const fresh = listed.filter(({ name }) => !asked.includes(name))
      this.#count(await this.#measure(fresh.map(({ name }) => name)), await measured)
      this.#listed = listed
      this.#problem = undefined
      this.#answered()
      this.#describeAll(listed.map(member => this.#describe(member)))
      this.onListed(listed)
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error)
      if ((await measured).some(({ hasAnswered }) => hasAnswered)) this.#answered()
      else this.#giveUpLeader(this.#leader.unanswered(await suspect))
    }
  }

  #answered(): void {
    this.#isLeaderLost = false
    this.#leader.answered()
  }

  /** What Incus says counts again as soon as it can say something. */
  #giveUpLeader(leader: string | undefined): void {
    if (leader === undefined) return
    this.#isLeaderLost = true
    // Until it has answered, it stays given up if Incus describes it as offline then.
    this.#unanswered.set(leader, maxUnanswered)
    this.#describeAll(
      this.#members.map(member =>
        member.name === leader
          ? { name: leader, groups: member.groups, status: 'offline', reason: leaderIsGone }
          : member,
      ),
    )
  }

  #describeAll(members: readonly KnownMember[]): void {
    const before = this.#away
    this.#members = members
    const away = this.#away
    this.onAway(away)
    if (before.size !== away.size || [...away].some(name => !before.has(name))) this.onChange()
  }

  get #away(): Set<string> {
    return new Set(this.#members.filter(({ status }) => status === 'offline').map(({ name }) => name))
  }

  #describe({ name, status, message, groups }: ClusterMember): KnownMember {
    const described = statuses[status] ?? 'offline'
    const isLate = described === 'offline' && !this.#isSilent(name)
    if (isLate || described === 'online') return { name, groups, status: 'online', ...this.#rooms.of(name) }
    return { name, groups, status: described, reason: message || `Incus says that it is ${status}.` }
  }

  #isSilent(name: string): boolean {
    return (this.#unanswered.get(name) ?? 0) >= maxUnanswered
  }

  #measure(names: readonly string[]): Promise<readonly Asked[]> {
    return Promise.all(names.map(async name => ({ name, hasAnswered: await this.#answers(name) })))
  }

  async #answers(name: string): Promise<boolean> {
    try {
      await this.#rooms.measure(name)
      return true
    } catch (error) {
      return !(error instanceof MachineError && error.code === 'UNREACHABLE')
    }
  }

  /**
   * Where no member answers, the cluster itself waits, as it does until it has another leader of its database. That says nothing of a
   * member, and its next answer comes with heartbeats that are too old.
   */
  #count(asked: readonly Asked[], others: readonly Asked[] = []): void {
    if (![...asked, ...others].some(({ hasAnswered }) => hasAnswered)) return
    for (const { name, hasAnswered } of asked) {
      // One that was never heard of is silent at once, because there is no sign that it is alive.
      const before = this.#unanswered.get(name) ?? maxUnanswered
      this.#unanswered.set(name, hasAnswered ? 0 : before + 1)
    }
  }
}
