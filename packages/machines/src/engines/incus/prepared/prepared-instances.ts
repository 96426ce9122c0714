import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { MachineOwner } from '../../../contract/spec.ts'
import type { IncusClient } from '../client/index.ts'
import { fitsOn, takers } from '../machine/capacity.ts'
import { type Instance, isPreparedName } from '../machine/instance.ts'
import type { Instances } from '../machine/instances.ts'
import type { KnownMember, Members } from '../members.ts'
import type { Networks } from '../network/networks.ts'
import type { IncusSettings } from '../options.ts'
import { newName, type PreparedInstance, preparedBody, waitCommand } from './prepared-instance.ts'
import type { PreparedKind } from './prepared-kind.ts'
import { isOfEarlier, preparedRecordOf } from './prepared-record.ts'
import { Stocks } from './stocks.ts'

/** Instances are prepared this long after the last create, because whoever asked for it uses the machine right away. */
const fillDelayMs = 200
const createDeadlineMs = 60_000
/** One that is older is replaced, long before it ends by itself. */
const usableMs = 45 * 60_000
const lifeMs = 60 * 60_000
const lookEveryMs = 5 * 60_000
/** What is not removed by then ends by itself, or is removed by the next process. */
const closeMs = 10_000

export interface PreparedParts {
  readonly client: IncusClient
  readonly settings: IncusSettings
  readonly instances: Instances
  readonly members: Members
  readonly networks: Networks
}

/**
 * Instances that run but are no machines yet, so that a create only has to tell one which machine it is: starting one takes Incus longer
 * than the desktop takes. In each, nothing of a user has run, only programs of ours wait, and it becomes one machine only. They belong to this process.
 * When it stops, it removes them; otherwise the next process of the same node does; and each ends by itself after an hour.
 */
export class PreparedInstances {
  readonly #parts: PreparedParts
  readonly #process = randomBytes(8).toString('hex')
  readonly #stocks = new Stocks()
  readonly #timer: NodeJS.Timeout
  readonly #closing = new AbortController()
  /** The name of the one that is being prepared. */
  #preparing: string | undefined
  #owner: MachineOwner | undefined
  #creates = 0
  #filling: Promise<void> | undefined
  #sweeping: Promise<void> | undefined

  constructor(parts: PreparedParts) {
    this.#parts = parts
    this.#timer = setInterval(() => this.#fill(), lookEveryMs).unref()
  }

  /** Does what creates a machine of a kind, while none is prepared, and prepares others of this kind afterwards. */
  async during<T>(kind: PreparedKind, owner: MachineOwner | undefined, create: () => Promise<T>): Promise<T> {
    this.#owner = owner ?? this.#owner
    this.#creates++
    try {
      return await this.#stocks.during(kind, create)
    } finally {
      if (--this.#creates === 0) setTimeout(() => this.#fill(), fillDelayMs).unref()
    }
  }

  /** Takes one on a member, or on any if none is named: there where the fewest machines are. The caller must use or remove it. */
  take(kind: PreparedKind, member: string | undefined): PreparedInstance | undefined {
    const { instances } = this.#parts
    const able = new Set(this.#able(kind, 0).map(({ name }) => name))
    const [best] = this.#stocks
      .of(kind)
      .filter(one => able.has(one.member) && (member ?? one.member) === one.member && isUsable(one))
      .sort((a, b) => instances.countOn(a.member) - instances.countOn(b.member))
    if (best) this.#stocks.remove(best)
    return best
  }

  /** Does without those on members that get no machines. What is left of them is swept up when the members are back. */
  giveUp(members: ReadonlySet<string>): void {
    for (const prepared of this.#stocks.all.filter(({ member }) => members.has(member))) {
      this.#stocks.remove(prepared)
      prepared.session.close()
    }
  }

  /** Resolves when there are as many of a kind as are kept, or no more can be prepared now. */
  async stockUp(kind: PreparedKind): Promise<void> {
    await this.#parts.members.known()
    await this.#stocks.during(kind, async () => {})
    this.#fill()
    await this.#filling
  }

  /** Removes, in the background, what no process makes a machine of any more. */
  sweep(instances: readonly Instance[]): void {
    const left = instances
      .filter(instance => this.#isLeft(instance))
      .map(({ name, location }) => ({ name, member: location }))
    if (left.length === 0 || this.#closing.signal.aborted) return
    this.#sweeping ??= this.#removeAll(left).finally(() => {
      this.#sweeping = undefined
    })
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#closing.abort()
    const removed = async () => {
      await this.#filling
      await Promise.all(this.#stocks.clear().map(prepared => this.#drop(prepared)))
    }
    await Promise.race([removed(), pause(closeMs, undefined, { ref: false })])
  }

  #isLeft(instance: Instance): boolean {
    const { name, status } = instance
    const isOwn = this.#stocks.has(name) || name === this.#preparing
    if (!isPreparedName(name) || isOwn || this.#parts.instances.names.idOf(name) !== undefined) return false
    const record = preparedRecordOf(instance)
    if (!record) return false
    // Another process made it, and has told when by the clock of its host.
    const isOver = record.endsAtMs < Date.now() || (status === 'Stopped' && record.process === this.#process)
    return isOver || record.process === this.#process || isOfEarlier(record, this.#process, this.#owner)
  }

  async #removeAll(left: readonly Pick<PreparedInstance, 'name' | 'member'>[]): Promise<void> {
    for (const one of left) await this.#remove(one)
  }

  /** One that has ended, or cannot be reached any more, is of no use. */
  #lost(prepared: PreparedInstance): void {
    if (!this.#stocks.has(prepared.name)) return
    this.#stocks.remove(prepared)
    void this.#remove(prepared)
  }

  async #drop(prepared: PreparedInstance): Promise<void> {
    prepared.session.close()
    await this.#remove(prepared)
  }

  /**
   * What cannot be removed now is found again by a sweep. Nothing is removed from a member that is drained: Incus ends what is there, and
   * gives up the whole drain if somebody else ends an instance at the same moment.
   */
  async #remove({ name, member }: Pick<PreparedInstance, 'name' | 'member'>): Promise<void> {
    const { instances, members } = this.#parts
    const remove = async () => {
      if (!(await members.isDrained(member))) await instances.remove(name)
    }
    await remove().catch(() => {})
  }

  #fill(): void {
    this.#filling ??= this.#fillWhileIdle()
      // Nothing is prepared then, and the next create asks for it again.
      .catch(() => {})
      .finally(() => {
        this.#filling = undefined
      })
  }

  async #fillWhileIdle(): Promise<void> {
    const { members, settings } = this.#parts
    if (!settings.isPreparing) return
    const isIdle = () => !this.#closing.signal.aborted && this.#creates === 0
    const online = takers(await members.known(), settings.group).length
    for (const prepared of this.#stocks.shrink(isUsable)) await this.#drop(prepared)
    while (isIdle()) {
      const kind = this.#stocks.short(online)
      const member = kind && this.#roomiest(kind)
      if (!member) return
      await this.#prepare(kind, member)
    }
  }

  /** The member that has the fewest of a kind, and then the fewest machines. */
  #roomiest(kind: PreparedKind): string | undefined {
    const { instances } = this.#parts
    const countOf = (member: string) => this.#stocks.of(kind).filter(one => one.member === member).length
    const [best] = this.#able(kind, 1)
      .map(({ name }) => ({ name, has: countOf(name), machines: instances.countOn(name) }))
      .sort((a, b) => a.has - b.has || a.machines - b.machines)
    return best?.name
  }

  /** The members that have room for a machine of a kind, and for some more. */
  #able({ spec }: PreparedKind, more: number): KnownMember[] {
    const { members, settings } = this.#parts
    return takers(members.latest, settings.group).filter(
      member =>
        fitsOn(member, spec.diskMiB) > more &&
        (member.memoryMiB === undefined || member.memoryMiB >= spec.memoryMiB),
    )
  }

  async #prepare(kind: PreparedKind, member: string): Promise<void> {
    const { client, settings, networks } = this.#parts
    const name = newName()
    const preparedAtMs = performance.now()
    this.#preparing = name
    try {
      const link = await networks.linkFor(kind.spec.egress)
      const { installation, node } = this.#owner ?? {}
      const record = {
        process: this.#process,
        endsAtMs: Date.now() + lifeMs,
        ...(installation !== undefined && { installation }),
        ...(node !== undefined && { node }),
      }
      const body = preparedBody(name, kind, settings.pool, link, record, lifeMs)
      await client.run('POST', `/instances?target=${encodeURIComponent(member)}`, body, {
        deadlineMs: createDeadlineMs,
      })
      const session = await client.exec(name, waitCommand)
      const prepared = { name, member, link, preparedAtMs, session }
      this.#stocks.add(kind, prepared)
      void session.exited.then(() => this.#lost(prepared))
    } catch (error) {
      await this.#remove({ name, member })
      throw error
    } finally {
      this.#preparing = undefined
    }
  }
}

const isUsable = ({ preparedAtMs }: PreparedInstance) => performance.now() - preparedAtMs < usableMs
