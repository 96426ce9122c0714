import { type Engine, MachineError, type Snapshots } from '@sandglass/machines/contract'
import type { Handlers } from '@sandglass/rpc'
import type { SnapshotMethods } from './snapshot-methods.ts'

type Use = <Result>(work: (engine: Engine) => Promise<Result>) => Promise<Result>

/** Answers the requests of the front about saved disks. */
export function snapshotHandlers(use: Use): Handlers<SnapshotMethods> {
  const useSnapshots = <Result>(work: (snapshots: Snapshots) => Promise<Result>) =>
    use(async ({ snapshots }) => {
      if (!snapshots) throw new MachineError('INVALID', 'this engine saves no disks')
      return await work(snapshots)
    })
  return {
    takeSnapshot: ({ handle, spec }, { signal }) =>
      useSnapshots(snapshots => snapshots.take(handle, spec, { signal })),
    createFromSnapshot: ({ snapshot, spec }, { signal }) =>
      useSnapshots(snapshots => snapshots.create(snapshot, spec, { signal })),
    restoreSnapshot: ({ handle, snapshot }, { signal }) =>
      useSnapshots(snapshots => snapshots.restore(handle, snapshot, { signal })),
    removeSnapshot: ({ snapshot }) => useSnapshots(snapshots => snapshots.remove(snapshot)),
    listSnapshots: () => useSnapshots(snapshots => snapshots.list()),
  }
}
