import type { Logger } from 'pino'
import { appendAudit } from '../audit/store.ts'
import type { Database, Tx } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { failInterrupted } from '../modules/applications/store.ts'
import { closeSpansOfNode } from '../records/usage.ts'
import { lockIfExpired, markNodeLost, markSandboxesLost, selectExpired, type Watcher } from './loss-store.ts'

/**
 * Declares nodes lost whose leases have run out. Each process does this with every heartbeat, and the lock of the node's row
 * makes one of them do it. A process decides only after it has held its own lease for a whole lease without a gap: after the database
 * was away, or every node was stopped, all leases have run out, and the others are given the time to renew theirs.
 */
export async function declareLostNodes(db: Database, watcher: Watcher, log: Logger): Promise<void> {
  for (const nodeId of await selectExpired(db, watcher)) {
    const sandboxes = await transact(db, tx => declareLost(tx, nodeId, watcher))
    if (sandboxes !== undefined) log.warn({ lostNode: nodeId, sandboxes }, 'a node was declared lost')
  }
}

/** How many sandboxes it had; undefined where it has renewed its lease since, or another process declares it lost. */
async function declareLost(tx: Tx, nodeId: string, watcher: Watcher): Promise<number | undefined> {
  const node = await lockIfExpired(tx, nodeId, watcher)
  if (!node) return undefined
  const reason = `The node ${node.hostname} was lost at ${node.seen_at.toISOString()}. The sandbox comes back with the node if its machine still runs.`
  await markNodeLost(tx, nodeId)
  const sandboxes = await markSandboxesLost(tx, nodeId, reason)
  // Nobody is billed for time in which nobody knows whether the machine ran.
  await closeSpansOfNode(tx, nodeId)
  await failInterrupted(tx, nodeId, `The node ${node.hostname} was lost. Ask for it again.`)
  await record(tx, null, nodeId)
  for (const { id, org_id: orgId } of sandboxes) await record(tx, orgId, id)
  return sandboxes.length
}

async function record(tx: Tx, orgId: string | null, target: string): Promise<void> {
  await appendAudit(tx, {
    org_id: orgId,
    actor_kind: 'service',
    actor_id: 'placement',
    operation: 'declareNodeLost',
    target,
    outcome: 'done',
    address: null,
    request_id: '',
  })
}
