import { MachineError, type MachineHandle, type Snapshots } from '@sandglass/machines/contract'
import type { Handlers } from '@sandglass/rpc'
import type { UseEngine } from './opened-engines.ts'
import type { SnapshotMethods } from './snapshot-methods.ts'

/** Answers the requests of the front about saved disks. */
export function snapshotHandlers(
  use: UseEngine,
  tellReachable: (id: string) => (handle: MachineHandle) => void,
): Handlers<SnapshotMethods> {
  const useSnapshots = <Result>(name: string, work: (snapshots: Snapshots) => Promise<Result>) =>
    use(name, async ({ snapshots }) => {
      if (!snapshots) throw new MachineError('INVALID', 'this engine saves no disks')
      return await work(snapshots)
    })
  return {
    takeSnapshot: ({ handle, spec }, { signal }) =>
      useSnapshots(handle.engine, snapshots => snapshots.take(handle, spec, { signal })),
    createFromSnapshot: ({ snapshot, spec }, { signal }) =>
      useSnapshots(snapshot.engine, snapshots =>
        snapshots.create(snapshot, spec, { signal, onReachable: tellReachable(spec.id) }),
      ),
    restoreSnapshot: ({ handle, snapshot }, { signal }) =>
      useSnapshots(handle.engine, snapshots => snapshots.restore(handle, snapshot, { signal })),
    removeSnapshot: ({ snapshot }) => useSnapshots(snapshot.engine, snapshots => snapshots.remove(snapshot)),
    listSnapshots: ({ engine }) => useSnapshots(engine, snapshots => snapshots.list()),
  }
}
