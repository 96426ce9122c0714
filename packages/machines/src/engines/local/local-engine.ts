import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { KeyedMutex } from '@sandglass/supervision'
import type { Abortable } from '../../contract/abortable.ts'
import type { MachineActivity } from '../../contract/activity.ts'
import type { CreateOptions } from '../../contract/create-options.ts'
import type {
  Capabilities,
  Capacity,
  DiskSpace,
  Engine,
  EngineHealth,
  ListedMachine,
  MachineState,
} from '../../contract/engine.ts'
import { MachineError } from '../../contract/errors.ts'
import type { MachineFigures } from '../../contract/figures.ts'
import type { MachineHandle } from '../../contract/handle.ts'
import type { Machine } from '../../contract/machine.ts'
import type { Snapshots } from '../../contract/snapshots.ts'
import { defaultScreen, type MachineSpec } from '../../contract/spec.ts'
import type { KeptReader } from '../../contract/transfer.ts'
import { Creation } from './creation.ts'
import { diskOf, figuresOf } from './figures.ts'
import { adbEndpoint } from './guest/adb-endpoint.ts'
import { type Guest, guestOf } from './guest/guest.ts'
import { engineName, handleOf, idOf } from './handle.ts'
import { Admission } from './host/admission.ts'
import { capacityOf, healthOf } from './host/engine-room.ts'
import { LocalMachine, type LocalReach } from './local-machine.ts'
import { machinePaths } from './machine-paths.ts'
import { MachineNames } from './network/names/machine-names.ts'
import { PortDialer } from './network/port-dialer.ts'
import { type CgroupLayout, cgroupLayout, isFrozen } from './oci/cgroups.ts'
import { Containers, containerOf } from './oci/containers.ts'
import { accountsRoot, FairShares } from './oci/fair-shares.ts'
import { followUse } from './oci/follow-use.ts'
import { activityOf } from './oci/group-activity.ts'
import { findInit } from './oci/init-process.ts'
import { ProcessorSets } from './oci/processor-sets.ts'
import type { Runtime } from './oci/runtime.ts'
import { Runtimes } from './oci/runtimes.ts'
import { type LocalEngineOptions, type Settings, settle } from './options.ts'
import { listIds, type MachineRecord, readRecord } from './records.ts'
import { removeGround } from './remove-ground.ts'
import { removeMachine } from './remove-machine.ts'
import { restartMachine, restoreMachine, stopMachine } from './restart-machine.ts'
import { findImage } from './rootfs/image-store.ts'
import { PreparedRoots } from './rootfs/prepared-roots.ts'
import { removeUnusedImages } from './rootfs/unused-images.ts'
import type { Starter } from './starter.ts'
import { Starters } from './starters.ts'
import { diskSpaceOf } from './storage/disk-space.ts'
import { openDisks } from './storage/disk-volume.ts'
import { LocalSnapshots } from './storage/local-snapshots.ts'
import type { SavedRecord } from './storage/saved-records.ts'
import { SpaceKeeper } from './storage/space-keeper.ts'
import { LocalTransfer } from './transfer/local-transfer.ts'
import { LocalVolumes } from './volumes/local-volumes.ts'

/** Debian desktops on this box, each in namespaces of its own. */
export class LocalEngine implements Engine {
  readonly name = engineName
  readonly capabilities: Capabilities = {
    pause: true,
    egress: true,
    egressNames: true,
    halfClose: true,
    saveMemory: false,
  }
  readonly scope = 'node'
  readonly settings: Settings
  readonly snapshots: Snapshots
  readonly volumes: LocalVolumes
  readonly kept: KeptReader
  readonly #runtimes: Runtimes
  readonly #containers: Containers
  readonly #layout: CgroupLayout
  readonly #admission: Admission
  /** The machines that are being destroyed. */
  readonly #leaving = new Set<Promise<void>>()
  /** What changes one machine happens one after the other. */
  readonly #mutex = new KeyedMutex()
  readonly #open = new Set<Machine>()
  readonly #prepared: PreparedRoots
  readonly #names: MachineNames
  readonly #processors: ProcessorSets
  readonly #shares: FairShares
  readonly #space: SpaceKeeper
  readonly #starters: Starters
  readonly #creation: Creation
  readonly #ports = new PortDialer()

  constructor(options: LocalEngineOptions) {
    this.settings = settle(options)
    openDisks(this.settings)
    this.#space = new SpaceKeeper(this.settings)
    this.#layout = cgroupLayout()
    this.#runtimes = new Runtimes(this.settings, this.#layout)
    this.#admission = new Admission(this.settings)
    this.#containers = new Containers(this.settings)
    this.#prepared = new PreparedRoots({
      settings: this.settings,
      runtime: this.#runtimes.of(),
      layout: this.#layout,
    })
    const groupOf = (id: string) => this.#containers.groupOf(id)
    this.#processors = new ProcessorSets({ groupOf, layout: this.#layout })
    this.#starters = new Starters({
      settings: this.settings,
      runtimes: this.#runtimes,
      layout: this.#layout,
      processors: this.#processors,
      prepared: this.#prepared,
    })
    this.#names = new MachineNames(this.settings)
    this.volumes = new LocalVolumes(this.settings)
    this.kept = new LocalTransfer(options)
    this.#creation = new Creation({
      settings: this.settings,
      admission: this.#admission,
      starters: this.#starters,
      prepared: this.#prepared,
      volumes: this.volumes,
      mutex: this.#mutex,
      leaving: this.#leaving,
    })
    this.snapshots = new LocalSnapshots({
      settings: this.settings,
      withMachine: (id, work) => this.#mutex.run(id, async () => work(await this.#record(id))),
      createFrom: (saved, spec, options) => this.#creation.createFrom(saved, spec, options),
      restoreTo: (saved, handle, signal) => this.#restoreTo(saved, handle, signal),
      forget: id => this.#prepared.forget(id),
    })
    this.#shares = new FairShares({
      groupOf,
      layout: this.#layout,
      accounts: accountsRoot(readFileSync('/proc/self/mounts', 'utf8')),
      onMeasured: machines =>
        followUse(this.settings, this.#layout, this.#processors, this.#containers, machines),
    })
  }

  /**
   * Makes ahead what the first machine of an image would wait for. With the size of a disk, also settles when a few
   * roots of that size are in stock, as they are some moments after every create.
   */
  async prepare(imageName: string, diskMiB?: number): Promise<void> {
    const { lower } = await this.#starters.of(await findImage(this.settings, imageName))
    if (diskMiB !== undefined) await this.#prepared.stockUp({ lower, diskMiB })
  }

  /** Removes base images that nothing needs any more, and what builds left. Returns the names of what was removed. */
  removeUnusedImages(): Promise<string[]> {
    return removeUnusedImages(this.settings)
  }

  create(spec: MachineSpec, options: CreateOptions = {}): Promise<MachineHandle> {
    return this.#creation.create(spec, options)
  }

  async health(): Promise<EngineHealth> {
    return healthOf(this.settings)
  }

  capacity(diskMiB: number, image?: string): Promise<Capacity> {
    return capacityOf(this.settings, this.#admission, diskMiB, image)
  }

  diskSpace(): Promise<DiskSpace> {
    return diskSpaceOf(this.settings)
  }

  /** The name of its folder has a hash of its recipe. */
  imageDigest(image: string): Promise<string> {
    return findImage(this.settings, image)
  }

  async open(handle: MachineHandle): Promise<Machine> {
    const reach = await this.reach(handle)
    const machine: LocalMachine = await LocalMachine.open(reach, await this.access(handle), () =>
      this.#open.delete(machine),
    )
    this.#open.add(machine)
    return machine
  }

  /** What another process must know to open a running machine, and lets the machine use what it shares with others. */
  async reach(handle: MachineHandle): Promise<LocalReach> {
    const id = idOf(handle)
    const record = await this.#record(id)
    if (!(await findInit(machinePaths(this.settings, id))))
      throw new MachineError('STATE', `machine ${id} does not run; restart it`)
    await this.#names.add(record.index, record.spec.egress)
    this.#shares.add(id, record.spec.cpus)
    if (!this.#processors.has(id)) await this.#processors.confine(id, record.spec.cpus)
    return {
      handle,
      screenSize: record.spec.screen ?? defaultScreen,
      adb: await adbEndpoint(this.settings, record.image),
    }
  }

  /** The way into a machine, for this process or, with unread connections, for one that they are passed to. */
  async access(handle: MachineHandle, isUnread = false): Promise<Guest<Socket>> {
    const id = idOf(handle)
    // gVisor's network is its own: nothing listens in the namespace that the kernel knows.
    const ports = this.#runtimes.of(await this.#record(id)).isGvisor ? undefined : this.#ports
    const group = this.#containers.groupOf(id)
    return guestOf(id, this.settings, this.#layout, { group, ports, isUnread })
  }

  /** As {@link Guest.activity}, without reading the machine's record, because it is asked many times per second. */
  async activity(handle: MachineHandle): Promise<MachineActivity | undefined> {
    return activityOf(this.#layout, this.#containers.groupOf(idOf(handle)))
  }

  async figures(handle: MachineHandle): Promise<MachineFigures> {
    const id = idOf(handle)
    const { spec } = await this.#record(id)
    const paths = machinePaths(this.settings, id)
    const init = await findInit(paths)
    if (!init) throw new MachineError('STATE', `machine ${id} does not run; restart it`)
    const group = this.#containers.groupOf(id)
    const disk = () => diskOf(paths.diskMount)
    return figuresOf({ spec, pid: init.pid, layout: this.#layout, group, disk })
  }

  async inspect(handle: MachineHandle): Promise<MachineState> {
    const id = idOf(handle)
    const record = await readRecord(this.settings, id)
    if (!record) return { status: (await listIds(this.settings)).includes(id) ? 'creating' : 'missing' }
    const running = (await findInit(machinePaths(this.settings, id))) !== undefined
    if (!record.complete) return { status: 'creating' }
    if (!running) return { status: 'stopped', reason: 'its first process has ended' }
    return {
      status: (await isFrozen(this.#layout, this.#containers.groupOf(id))) ? 'paused' : 'running',
    }
  }

  async restart(handle: MachineHandle, { signal }: Abortable = {}): Promise<void> {
    await this.#restarted(handle, (starter, record) => restartMachine(starter, record, signal))
  }

  async #restoreTo(saved: SavedRecord, handle: MachineHandle, signal?: AbortSignal): Promise<void> {
    await this.#restarted(handle, (starter, record) => restoreMachine(starter, record, saved, signal))
  }

  async #restarted(
    handle: MachineHandle,
    restart: (starter: Starter, record: MachineRecord) => Promise<void>,
  ): Promise<void> {
    const id = idOf(handle)
    await this.#mutex.run(id, async () => {
      const record = await this.#record(id)
      await restart(await this.#starters.of(record.image), record)
    })
  }

  async stop(handle: MachineHandle): Promise<void> {
    const id = idOf(handle)
    const ender = { settings: this.settings, runtimes: this.#runtimes, layout: this.#layout }
    await this.#mutex.run(id, async () => stopMachine(ender, await this.#record(id)))
  }

  async pause(handle: MachineHandle): Promise<void> {
    await this.#whenRunning(handle, false, (runtime, container) => runtime.pause(container))
  }

  async resume(handle: MachineHandle): Promise<void> {
    await this.#whenRunning(handle, true, (runtime, container) => runtime.resume(container))
  }

  /** Does nothing when the machine is already as wanted. */
  async #whenRunning(
    handle: MachineHandle,
    frozen: boolean,
    change: (runtime: Runtime, container: string) => Promise<void>,
  ): Promise<void> {
    const id = idOf(handle)
    await this.#mutex.run(id, async () => {
      const record = await this.#record(id)
      if (!(await findInit(machinePaths(this.settings, id)))) {
        throw new MachineError('STATE', `machine ${id} does not run; restart it`)
      }
      if ((await isFrozen(this.#layout, this.#containers.groupOf(id))) === frozen) {
        await change(this.#runtimes.of(record), containerOf(record))
      }
    })
  }

  async destroy(handle: MachineHandle): Promise<void> {
    const id = idOf(handle)
    const leaving = this.#mutex.run(id, async () => {
      const record = await readRecord(this.settings, id)
      if (record) this.#names.remove(record.index)
      this.#shares.remove(id)
      this.#processors.remove(id)
      await removeMachine(this.settings, this.#runtimes, this.#layout, id)
      this.#containers.forget(id)
    })
    this.#leaving.add(leaving)
    try {
      await leaving
    } finally {
      this.#leaving.delete(leaving)
    }
  }

  assign(tenants: ReadonlyMap<string, string>): void {
    this.#shares.assign(tenants)
  }

  async list(): Promise<ListedMachine[]> {
    await this.#prepared.sweep()
    this.#starters.noteUse()
    const ids = await listIds(this.settings)
    return await Promise.all(
      ids.map(async id => {
        const spec = (await readRecord(this.settings, id))?.spec
        return { id, handle: handleOf(id), owner: spec?.owner, image: spec?.image }
      }),
    )
  }

  async close(): Promise<void> {
    for (const machine of [...this.#open]) machine.close()
    this.#ports.close()
    this.#names.close()
    this.#shares.close()
    this.#space.close()
    await this.#prepared.close()
  }

  /** Destroys every machine, then takes away what they stood on. Images, saved disks and volumes stay. */
  async dismantle(): Promise<void> {
    await this.close()
    for (const { handle } of await this.list()) await this.destroy(handle)
    this.#starters.clear()
    await this.#prepared.removeAll()
    await removeGround(this.settings)
  }

  async #record(id: string): Promise<MachineRecord> {
    const record = await readRecord(this.settings, id)
    if (!record) throw new MachineError('NOT_FOUND', `there is no machine ${id}`)
    return record
  }
}
