import type {
  Abortable,
  CreateOptions,
  ListedSnapshot,
  MachineHandle,
  MachineSpec,
  SnapshotHandle,
  SnapshotSpec,
  Snapshots,
  TakenSnapshot,
} from '@sandglass/machines/contract'
import type { Caller } from '@sandglass/rpc'
import type { HostMethods } from './methods.ts'
import type { ReachableMachines } from './reachable-machines.ts'
import { reached } from './reached.ts'

/** The snapshots of an engine of the host, in a process without rights. */
export class HostSnapshots implements Snapshots {
  readonly #host: Caller<HostMethods>
  readonly #engine: string
  readonly #reachable: ReachableMachines

  constructor(host: Caller<HostMethods>, engine: string, reachable: ReachableMachines) {
    this.#host = host
    this.#engine = engine
    this.#reachable = reachable
  }

  take(handle: MachineHandle, spec: SnapshotSpec, { signal }: Abortable = {}): Promise<TakenSnapshot> {
    return reached(this.#host.call('takeSnapshot', { handle, spec }, { signal }))
  }

  create(
    snapshot: SnapshotHandle,
    spec: MachineSpec,
    { signal, onReachable }: CreateOptions = {},
  ): Promise<MachineHandle> {
    return this.#reachable.during(spec.id, onReachable, () =>
      reached(this.#host.call('createFromSnapshot', { snapshot, spec }, { signal })),
    )
  }

  restore(handle: MachineHandle, snapshot: SnapshotHandle, { signal }: Abortable = {}): Promise<void> {
    return reached(this.#host.call('restoreSnapshot', { handle, snapshot }, { signal }))
  }

  remove(snapshot: SnapshotHandle): Promise<void> {
    return reached(this.#host.call('removeSnapshot', { snapshot }))
  }

  list(): Promise<ListedSnapshot[]> {
    return reached(this.#host.call('listSnapshots', { engine: this.#engine }))
  }
}
