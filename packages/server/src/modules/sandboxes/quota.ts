import { ApiError, type Plan } from '@sandglass/protocol'
import type { Actor } from '../../auth/principal.ts'
import type { Database, Tx } from '../../db/database.ts'
import { FreshReads } from '../../db/fresh-reads.ts'
import { countAtWork } from '../../records/machines.ts'
import { authorOf, countSandboxes } from '../../records/sandboxes.ts'
import { lockPlanOfOrganization, selectPlanOfOrganization } from '../plans/store.ts'

/** This bounds memory. Far fewer callers are refused at the same time. */
const maxRemembered = 10_000

/** Limits how many sandboxes an organization, or a trial, may have at once. */
export class SandboxQuota {
  /** The callers whose last create was refused. */
  readonly #refused = new Set<string>()
  readonly #reads = new FreshReads<void>()

  /** Locks the organization, so that two concurrent creates cannot both use the last of the quota. */
  async require(tx: Tx, member: Actor): Promise<void> {
    const plan = await lockPlanOfOrganization(tx, member.organization.id)
    try {
      await requireQuota(tx, member, plan)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'sandbox.TOO_MANY') this.#remember(quotaKeyOf(member))
      throw error
    }
  }

  /**
   * Refuses a caller that was refused before and still has no quota left, without a transaction or a lock. Concurrent calls
   * share one read. A caller that is not refused here is still checked by {@link require}.
   */
  async refuseEarly(db: Database, member: Actor): Promise<void> {
    const key = quotaKeyOf(member)
    if (!this.#refused.has(key)) return
    await this.#reads.read(key, async () =>
      requireQuota(db, member, await selectPlanOfOrganization(db, member.organization.id)),
    )
    this.#refused.delete(key)
  }

  #remember(key: string): void {
    if (this.#refused.size >= maxRemembered) this.#refused.clear()
    this.#refused.add(key)
  }
}

async function requireQuota(db: Database | Tx, member: Actor, plan: Plan | undefined): Promise<void> {
  const orgId = member.organization.id
  if (!plan) throw new ApiError('organization.NOT_FOUND')
  const max = plan.concurrentSandboxes
  if (max !== null && (await countSandboxes(db, orgId)) + (await countAtWork(db, orgId)) >= max)
    throw new ApiError('sandbox.TOO_MANY', { message: `The plan allows ${max} running sandboxes.` })
  if (member.kind !== 'trialToken') return
  if ((await countSandboxes(db, orgId, authorOf(member))) >= member.sandboxQuota)
    throw new ApiError('sandbox.TOO_MANY', {
      message: `The trial allows ${member.sandboxQuota} running sandboxes.`,
    })
}

/** A trial has its own quota. All other callers share the quota of their organization. */
function quotaKeyOf(member: Actor): string {
  const { id } = member.organization
  return member.kind === 'trialToken' ? `${id} ${authorOf(member)}` : id
}
