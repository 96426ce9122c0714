import * as protocol from '@sandglass/protocol'
import { ApiError, type Snapshot } from '@sandglass/protocol'
import type { Tx } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { lockReadyDisk, type SavedDiskRow } from '../../records/saved-disks.ts'
import { lockPlanOfOrganization } from '../plans/store.ts'
import { requireLocked } from '../sandboxes/lock-sandbox.ts'
import type { SandboxParts } from '../sandboxes/parts.ts'
import type { SandboxLive } from '../sandboxes/sandbox-live.ts'
import type { SandboxRouter } from '../sandboxes/sandbox-router.ts'
import { Forking } from './fork.ts'
import { DiskSaving, type RecordSaved } from './saving.ts'
import {
  countSnapshots,
  deleteSnapshotRow,
  insertSnapshot,
  selectSnapshot,
  selectSnapshots,
  snapshotOf,
} from './store.ts'

export function serveSnapshots(
  api: Api,
  router: SandboxRouter,
  parts: SandboxParts,
  live: Pick<SandboxLive, 'recall'>,
): void {
  const { db, power, disks } = parts
  const saving = new DiskSaving(parts)
  const forking = new Forking(parts, saving)

  api.serve(protocol.listSandboxSnapshots, async ({ member, params }) => {
    const { id } = await router.sandbox(member, params.sandboxId)
    return (await selectSnapshots(db, id)).map(snapshotOf)
  })

  router.serveAtMachine(protocol.createSandboxSnapshot, async ({ member, body, change }, sandbox) => {
    const { name, memory } = body
    const machine = await saving.machineOf(sandbox, memory)
    const record: RecordSaved<Snapshot> = async (tx, insertDisk) => {
      await requireQuota(tx, member.organization.id)
      const { id: diskId } = await insertDisk()
      const locked = await requireLocked(tx, member, sandbox.id)
      const id = await insertSnapshot(tx, locked, name, diskId)
      return { answer: await snapshotNow(tx, locked.id, id), target: id }
    }
    const { answer, taken } = await saving.save(machine, change, record, { memory })
    const { id } = answer
    const now = await selectSnapshot(db, sandbox.id, id)
    return { ...(now ? snapshotOf(now) : answer), ...(taken && { pauseMs: taken.pauseMs }) }
  })

  api.serve(protocol.deleteSandboxSnapshot, ({ member, params, change }) =>
    change(async tx => {
      const { id } = await requireLocked(tx, member, params.sandboxId)
      if (!(await deleteSnapshotRow(tx, id, params.snapshotId))) throw new ApiError('snapshot.NOT_FOUND')
      return { answer: undefined, target: params.snapshotId }
    }),
  )

  router.serveAtMachine(protocol.restoreSandbox, async ({ member, params, body, change }) => {
    using holding = new DisposableStack()
    const { sandbox, handle } = await change(async tx => {
      const locked = await requireLocked(tx, member, params.sandboxId)
      const disk = await requireDisk(tx, locked.id, body.snapshotId)
      // The disk is not removed before the machine has been restored, even if the snapshot is deleted meanwhile.
      holding.use(disks.hold(disk.id))
      await power.beginRestart(tx, locked)
      return { answer: { sandbox: locked, handle: disk.handle }, target: locked.id }
    })
    holding.defer(() => disks.removeDoomedSoon())
    await live.recall(sandbox.id)
    await power.restore(sandbox, handle)
  })

  router.serveAtMachine(protocol.forkSandbox, (call, sandbox) => forking.fork(call, sandbox))
}

async function snapshotNow(tx: Tx, sandboxId: string, id: string): Promise<Snapshot> {
  const row = await selectSnapshot(tx, sandboxId, id)
  if (!row) throw new ApiError('snapshot.NOT_FOUND')
  return snapshotOf(row)
}

/** Returns the disk of a snapshot that is READY, and keeps it from being doomed until the transaction ends. */
async function requireDisk(tx: Tx, sandboxId: string, id: string) {
  const snapshot = await selectSnapshot(tx, sandboxId, id)
  if (!snapshot) throw new ApiError('snapshot.NOT_FOUND')
  if (snapshot.status !== 'READY' || snapshot.disk_id === null)
    throw new ApiError('snapshot.NOT_READY', {
      message: `The snapshot is ${snapshot.status}.${snapshot.reason === null ? '' : ` ${snapshot.reason}`}`,
    })
  const disk = await lockReadyDisk(tx, snapshot.disk_id)
  if (!isSaved(disk)) throw new ApiError('snapshot.NOT_FOUND')
  return disk
}

function isSaved(
  disk: SavedDiskRow | undefined,
): disk is SavedDiskRow & { handle: NonNullable<SavedDiskRow['handle']> } {
  return disk !== undefined && disk.handle !== null
}

/** Locks the organization, so that two concurrent snapshots cannot both use the last of the quota. */
async function requireQuota(tx: Tx, orgId: string): Promise<void> {
  const plan = await lockPlanOfOrganization(tx, orgId)
  if (!plan) throw new ApiError('organization.NOT_FOUND')
  const max = plan.snapshots
  if (max !== null && (await countSnapshots(tx, orgId)) >= max)
    throw new ApiError('snapshot.TOO_MANY', { message: `The plan allows ${max} snapshots.` })
}
