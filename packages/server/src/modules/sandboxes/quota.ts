import { ApiError, type Plan } from '@sandglass/protocol'
import type { Actor } from '../../auth/principal.ts'
import type { Database, Tx } from '../../db/database.ts'
import { FreshReads } from '../../db/fresh-reads.ts'
import { authorOf, countSandboxes } from '../../records/sandboxes.ts'
import { lockPlanOfOrganization, selectPlanOfOrganization } from '../plans/store.ts'

/** Far more than are refused at the same time. */
const maxRemembered = 10_000

/** How many sandboxes an organization, or a trial, may have at once. */
export class SandboxQuota {
  /** Those that were refused and have asked for nothing since that was allowed. */
  readonly #refused = new Set<string>()
  readonly #reads = new FreshReads<void>()

  /** Locks the organization, so that two creates at once do not both take the last place. */
  async require(tx: Tx, member: Actor): Promise<void> {
    const plan = await lockPlanOfOrganization(tx, member.organization.id)
    try {
      await requireRoom(tx, member, plan)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'sandbox.TOO_MANY') this.#remember(authorIn(member))
      throw error
    }
  }

  /**
   * Refuses a caller that was refused before and would be again, without a transaction or a lock; callers who ask at the
   * same time share one read. Whoever is not refused here is still counted by {@link require}.
   */
  async refuseEarly(db: Database, member: Actor): Promise<void> {
    const key = authorIn(member)
    if (!this.#refused.has(key)) return
    await this.#reads.read(key, async () =>
      requireRoom(db, member, await selectPlanOfOrganization(db, member.organization.id)),
    )
    this.#refused.delete(key)
  }

  #remember(key: string): void {
    if (this.#refused.size >= maxRemembered) this.#refused.clear()
    this.#refused.add(key)
  }
}

async function requireRoom(db: Database | Tx, member: Actor, plan: Plan | undefined): Promise<void> {
  const orgId = member.organization.id
  if (!plan) throw new ApiError('organization.NOT_FOUND')
  const most = plan.concurrentSandboxes
  if (most !== null && (await countSandboxes(db, orgId)) >= most)
    throw new ApiError('sandbox.TOO_MANY', { message: `The plan allows ${most} running sandboxes.` })
  if (member.kind !== 'trialToken') return
  if ((await countSandboxes(db, orgId, authorOf(member))) >= member.sandboxQuota)
    throw new ApiError('sandbox.TOO_MANY', {
      message: `The trial allows ${member.sandboxQuota} running sandboxes.`,
    })
}

/** A trial has a quota of its own, all others have their organization's. */
function authorIn(member: Actor): string {
  const { id } = member.organization
  return member.kind === 'trialToken' ? `${id} ${authorOf(member)}` : id
}
