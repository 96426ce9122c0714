import type { Logger } from 'pino'
import { appendAudit, inChainOrder } from '../audit/store.ts'
import type { Database, Tx } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { attribute, placementActor } from '../events/actor.ts'
import { appendEvent } from '../events/append.ts'
import { failInterrupted } from '../modules/applications/store.ts'
import { doomAtWork } from '../records/machines.ts'
import { failInterruptedImages } from '../records/made-images.ts'
import { failInterruptedDisks } from '../records/saved-disks.ts'
import { closeSpansOfNode } from '../records/usage.ts'
import { lockIfExpired, markNodeLost, markSandboxesLost, selectExpired, type Watcher } from './loss-store.ts'
import { commonEngines, type Heir, moveMachines, moveSandboxes } from './takeover.ts'

/**
 * Declares nodes lost whose leases have expired. Every process tries this with each heartbeat, and a lock on the node's row ensures
 * that only one of them does it. A process does so only after it has held its own lease for a full lease period without a gap: after
 * an outage of the database or a stop of all nodes every lease has expired, and the other nodes need time to renew theirs.
 *
 * Machines in a cluster that this process uses too run on without the lost node, so this node takes them over with their sandboxes.
 * Returns whether it did.
 */
export async function declareLostNodes(
  db: Database,
  watcher: Watcher,
  heir: Heir,
  log: Logger,
): Promise<boolean> {
  let isAnyTaken = false
  for (const nodeId of await selectExpired(db, watcher)) {
    const loss = await transact(db, tx => declareLost(tx, nodeId, watcher, heir))
    if (loss) log.warn({ lostNode: nodeId, ...loss }, 'a node was declared lost')
    if (loss?.isTaken) isAnyTaken = true
  }
  return isAnyTaken
}

interface Loss {
  /** How many sandboxes were lost. */
  readonly sandboxes: number
  /** How many sandboxes this node has taken over. */
  readonly taken: number
  /** Whether this node has taken over what the lost node had on a cluster. */
  readonly isTaken: boolean
}

/** Returns undefined if the node has renewed its lease or another process is declaring it lost. */
async function declareLost(tx: Tx, nodeId: string, watcher: Watcher, heir: Heir): Promise<Loss | undefined> {
  const node = await lockIfExpired(tx, nodeId, watcher)
  if (!node) return undefined
  const reason = `The node ${node.hostname} was lost at ${node.seen_at.toISOString()}. The sandbox comes back with the node if its machine still runs.`
  await markNodeLost(tx, nodeId)
  attribute(tx, placementActor)
  const engines = await commonEngines(tx, nodeId, heir)
  const taken = engines.length > 0 ? await moveSandboxes(tx, nodeId, heir, engines) : 0
  const sandboxes = await markSandboxesLost(tx, nodeId, reason)
  await appendEvent(tx, {
    orgId: null,
    type: 'node.lost',
    subject: nodeId,
    data: { sandboxes: sandboxes.length },
  })
  // Time after the node was last seen is not billed, because it is unknown whether the machine ran.
  await closeSpansOfNode(tx, nodeId)
  await failInterrupted(tx, nodeId, `The node ${node.hostname} was lost. Ask for it again.`)
  await failInterruptedDisks(tx, nodeId, `The node ${node.hostname} was lost while the disk was being saved.`)
  await failInterruptedImages(
    tx,
    nodeId,
    `The node ${node.hostname} was lost while the image was being made.`,
  )
  await doomAtWork(tx, nodeId)
  if (engines.length > 0) await moveMachines(tx, nodeId, heir, engines)
  await record(tx, null, nodeId)
  for (const { id, org_id: orgId } of inChainOrder(sandboxes)) await record(tx, orgId, id)
  return { sandboxes: sandboxes.length, taken, isTaken: engines.length > 0 }
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
