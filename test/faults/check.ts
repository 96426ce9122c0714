import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import { unhandled } from '../../packages/server/src/ops/log.ts'
import type { HostProcess } from '../support/host-processes.ts'
import type { Call } from './calls.ts'
import type { Job } from './jobs/job.ts'
import { leftBehind } from './left-behind.ts'
import type { World } from './world.ts'

/**
 * Refusals that state a reason and promise nothing. A shell ends with the service, so it may be gone. A write that
 * was interrupted by the end of a machine may have been done: `file.FAILED` says to check, and is not a 503.
 */
const honest = new Set([
  'sandbox.STATE',
  'sandbox.UNREACHABLE',
  'machine.NOT_READY',
  'machine.NO_CAPACITY',
  'mapping.NOT_LISTENING',
  'mapping.NOT_RUNNING',
  'mapping.TIMEOUT',
  'mapping.BAD_ANSWER',
  'shell.NOT_FOUND',
  'file.NO_SPACE',
  'file.FAILED',
  'screenshot.NOT_FOUND',
])

/** No call may hang, fail without a reason, or lose its connection, unless the fault was in the service itself. */
export function checkAnswers(calls: readonly Call[], mayBreakOff: boolean): void {
  const wrong = calls.filter(({ status, code }) => {
    if (status === 200) return false
    if (status === 0) return !mayBreakOff
    return status === 'hung' || (status !== 503 && status !== 504 && !honest.has(code ?? ''))
  })
  const kinds = new Set(wrong.map(({ what, status, code }) => `${what}: ${status} ${code ?? ''}`))
  assert.equal(kinds.size, 0, `calls were answered with ${[...kinds].join(', ')}`)
}

/** Checks that everything acknowledged exists, that the audit log contains it, and that nothing else is left. */
export function checksOf(
  world: World,
  jobs: readonly Job[],
  startedBefore: readonly HostProcess[],
): readonly Check[] {
  return [
    ...jobs.map(job => () => job.verify()),
    () => checkAudit(world),
    () => checkLog(world.installation.service),
    () => checkLeftovers(world, startedBefore),
  ]
}

/** An error that no code handled is a mistake, even though the service survives it. */
export function checkLog({ printed }: { readonly printed: string }): void {
  const lines = printed.split('\n').filter(line => line.includes(unhandled))
  assert.deepEqual(lines, [])
}

export type Check = () => void | Promise<void>

/** Runs all checks and throws with everything that they found, since a fault rarely breaks one promise alone. */
export async function checkAll(checks: readonly Check[]): Promise<void> {
  const found: Error[] = []
  for (const check of checks)
    try {
      await check()
    } catch (error) {
      found.push(error instanceof Error ? error : new Error(String(error)))
    }
  if (found.length > 0) throw new Error(found.map(({ message }) => message).join('\n'), { cause: found[0] })
}

async function checkLeftovers(world: World, startedBefore: readonly HostProcess[]): Promise<void> {
  let left: string[] = []
  await waitFor(async () => {
    left = await leftBehind(world, startedBefore)
    return left.length === 0
  }).catch(() => assert.fail(`something was left behind: ${left.join(', ')}`))
}

async function checkAudit(world: World): Promise<void> {
  const asked = world.calls.audited.splice(0)
  const rows = await world.withDatabase(({ db }) =>
    db.selectFrom('audit_log').select(['request_id']).where('outcome', 'in', ['done', 'attempted']).execute(),
  )
  const recorded = new Set(rows.map(row => row.request_id))
  const missing = asked.filter(id => !recorded.has(id))
  assert.equal(
    missing.length,
    0,
    `${missing.length} of ${asked.length} acknowledged changes are not in the audit log`,
  )
}
