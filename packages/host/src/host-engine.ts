import {
  type Abortable,
  type Capabilities,
  type Capacity,
  type CreateOptions,
  type DiskSpace,
  type Engine,
  type EngineHealth,
  type KeptReader,
  type ListedMachine,
  type Machine,
  type MachineActivity,
  MachineError,
  type MachineFigures,
  type MachineHandle,
  type MachineSpec,
  type MachineState,
  type Snapshots,
  type Volumes,
} from '@sandglass/machines/contract'
import type { Caller } from '@sandglass/rpc'
import { HostKept } from './host-kept.ts'
import { HostSnapshots } from './host-snapshots.ts'
import { HostVolumes } from './host-volumes.ts'
import type { HostMethods, Opened } from './methods.ts'
import type { PassedSockets } from './passed-sockets.ts'
import type { ReachableMachines } from './reachable-machines.ts'
import { reached } from './reached.ts'

/** An engine of the host, in a process without rights: the host does what requires root. */
export class HostEngine implements Engine {
  readonly name: string
  readonly scope = 'node'
  readonly capabilities: Capabilities
  readonly snapshots?: Snapshots
  readonly volumes?: Volumes
  readonly kept?: KeptReader
  readonly stop?: (handle: MachineHandle) => Promise<void>
  readonly wake?: (handle: MachineHandle, options?: Abortable) => Promise<void>
  readonly #host: Caller<HostMethods>
  readonly #reachable: ReachableMachines

  /** `name` is that by which the engine was opened. */
  constructor(
    host: Caller<HostMethods>,
    name: string,
    { capabilities, hasSnapshots, hasVolumes, hasKept, canStop, canWake }: Opened,
    { reachable, passed }: { readonly reachable: ReachableMachines; readonly passed: PassedSockets },
  ) {
    this.#host = host
    this.#reachable = reachable
    this.name = name
    this.capabilities = capabilities
    if (hasSnapshots) this.snapshots = new HostSnapshots(host, name, reachable)
    if (hasVolumes) this.volumes = new HostVolumes(host, name)
    if (hasKept) this.kept = new HostKept(host, passed, name)
    if (canStop) this.stop = handle => reached(host.call('stop', { handle }))
    if (canWake) this.wake = (handle, { signal } = {}) => reached(host.call('wake', { handle }, { signal }))
  }

  create(spec: MachineSpec, { signal, onReachable }: CreateOptions = {}): Promise<MachineHandle> {
    return this.#reachable.during(spec.id, onReachable, () =>
      reached(this.#host.call('create', { engine: this.name, spec }, { signal })),
    )
  }

  async health(): Promise<EngineHealth> {
    try {
      return await this.#host.call('health', { engine: this.name })
    } catch (error) {
      return { ready: false, reason: `The host process cannot be asked: ${error}` }
    }
  }

  capacity(diskMiB: number, image?: string): Promise<Capacity> {
    return reached(this.#host.call('capacity', { engine: this.name, diskMiB, image }))
  }

  diskSpace(): Promise<DiskSpace> {
    return reached(this.#host.call('diskSpace', { engine: this.name }))
  }

  imageDigest(image: string): Promise<string> {
    return reached(this.#host.call('imageDigest', { engine: this.name, image }))
  }

  async open(): Promise<Machine> {
    throw new MachineError('INVALID', 'machines of the host are opened by workers')
  }

  inspect(handle: MachineHandle): Promise<MachineState> {
    return reached(this.#host.call('inspect', { handle }))
  }

  async activity(handle: MachineHandle): Promise<MachineActivity | undefined> {
    return (await reached(this.#host.call('activity', { handle }))) ?? undefined
  }

  figures(handle: MachineHandle): Promise<MachineFigures> {
    return reached(this.#host.call('figures', { handle }))
  }

  restart(handle: MachineHandle, { signal }: Abortable = {}): Promise<void> {
    return reached(this.#host.call('restart', { handle }, { signal }))
  }

  pause(handle: MachineHandle): Promise<void> {
    return reached(this.#host.call('pause', { handle }))
  }

  resume(handle: MachineHandle): Promise<void> {
    return reached(this.#host.call('resume', { handle }))
  }

  destroy(handle: MachineHandle): Promise<void> {
    return reached(this.#host.call('destroy', { handle }))
  }

  /** An assignment that is lost is made again a few seconds later. */
  assign(tenants: ReadonlyMap<string, string>): void {
    const assigned = { engine: this.name, tenants: Object.fromEntries(tenants) }
    this.#host.call('assign', assigned).catch(() => {})
  }

  list(): Promise<ListedMachine[]> {
    return reached(this.#host.call('list', { engine: this.name }))
  }

  close(): Promise<void> {
    return reached(this.#host.call('close', { engine: this.name }))
  }
}
