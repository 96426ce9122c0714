import { removeRouter } from './network/router.ts'
import { groupParentOf, removeGroupTree } from './oci/cgroups.ts'
import { sweepWorkerGroups } from './oci/worker-groups.ts'
import type { Settings } from './options.ts'
import { unmountBelow } from './rootfs/mounts.ts'
import { removeTree } from './rootfs/remove-tree.ts'
import { closeDisks } from './storage/disk-volume.ts'
import { listSaved } from './storage/saved-records.ts'
import { listVolumeIds } from './volumes/volume-records.ts'

/** Removes what machines stood on, after the last one was destroyed. Images, saved disks and volumes stay. */
export async function removeGround(settings: Settings): Promise<void> {
  await removeRouter(settings)
  await removeGroupTree(groupParentOf(settings.instance))
  await sweepWorkerGroups()
  await unmountBelow(settings.runDir)
  await removeTree(settings.preparedDir)
  const kept = [...(await listSaved(settings)), ...(await listVolumeIds(settings))]
  await closeDisks(settings, kept.length > 0)
  // The folder above stays, even if it is empty: fronts and workers of other services have mounted over it, and would lose that with it.
  await removeTree(settings.runDir)
}
