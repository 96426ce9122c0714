import { readFileSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { KeyedMutex } from '@sandglass/supervision'
import type { Abortable } from '../../contract/abortable.ts'
import type { MachineActivity } from '../../contract/activity.ts'
import type {
  Capabilities,
  Capacity,
  Engine,
  EngineHealth,
  ListedMachine,
  MachineState,
} from '../../contract/engine.ts'
import { MachineError } from '../../contract/errors.ts'
import type { MachineHandle } from '../../contract/handle.ts'
import type { Machine } from '../../contract/machine.ts'
import type { Snapshots } from '../../contract/snapshots.ts'
import { defaultScreen, type MachineSpec } from '../../contract/spec.ts'
import { createMachine } from './create-machine.ts'
import { adbEndpoint } from './guest/adb-endpoint.ts'
import { type Guest, guestOf } from './guest/guest.ts'
import { installGuestFiles } from './guest/guest-files.ts'
import { engineName, handleOf, idOf } from './handle.ts'
import { Admission } from './host/admission.ts'
import { raiseKernelCapacity } from './host/kernel-capacity.ts'
import { LocalMachine, type LocalReach } from './local-machine.ts'
import { machinePaths } from './machine-paths.ts'
import { MachineNames } from './network/names/machine-names.ts'
import { applyPolicy, createNetwork, detachNetwork, removeNetwork } from './network/network.ts'
import { PortDialer } from './network/port-dialer.ts'
import { ensureRouter, removeRouter } from './network/router.ts'
import { loadApparmorProfile } from './oci/apparmor.ts'
import {
  type CgroupLayout,
  cgroupLayout,
  groupOf,
  groupParentOf,
  isFrozen,
  removeGroupTree,
} from './oci/cgroups.ts'
import { accountsRoot, FairShares } from './oci/fair-shares.ts'
import { activityOf } from './oci/group-activity.ts'
import { findInit } from './oci/init-process.ts'
import type { Runtime } from './oci/runtime.ts'
import { Runtimes } from './oci/runtimes.ts'
import { sweepWorkerGroups } from './oci/worker-groups.ts'
import { type LocalEngineOptions, type Settings, settle } from './options.ts'
import { listIds, type MachineRecord, readRecord, writeRecord } from './records.ts'
import { endProcesses, removeMachine } from './remove-machine.ts'
import { findImage } from './rootfs/image-store.ts'
import { chooseLower } from './rootfs/lower.ts'
import { unmountBelow } from './rootfs/mounts.ts'
import type { RootKind } from './rootfs/prepared-root.ts'
import { PreparedRoots } from './rootfs/prepared-roots.ts'
import { removeTree } from './rootfs/remove-tree.ts'
import { createRunDirs } from './rootfs/run-dirs.ts'
import { noteImageUse, removeUnusedImages } from './rootfs/unused-images.ts'
import { ensureRoot, type Starter, startMachine } from './start-machine.ts'
import { closeDisks, openDisks } from './storage/disk-volume.ts'
import { LocalSnapshots } from './storage/local-snapshots.ts'
import { restoreDisk } from './storage/restore-disk.ts'
import { thawDisks } from './storage/save-disk.ts'
import { listSaved, type SavedRecord } from './storage/saved-records.ts'
import { SpaceKeeper } from './storage/space-keeper.ts'
import { validateSpec } from './validate-spec.ts'
import { LocalVolumes } from './volumes/local-volumes.ts'
import { unmountUnusedVolumes } from './volumes/volume-mounts.ts'
import { listVolumeIds } from './volumes/volume-records.ts'

const noteUseEveryMs = 60 * 60_000

/** Debian desktops on this box, each in namespaces of its own. */
export class LocalEngine implements Engine {
  readonly name = engineName
  readonly capabilities: Capabilities = {
    pause: true,
    egress: true,
    halfClose: true,
  }
  readonly scope = 'node'
  readonly settings: Settings
  readonly snapshots: Snapshots
  readonly volumes: LocalVolumes
  readonly #runtimes: Runtimes
  readonly #layout: CgroupLayout
  readonly #admission: Admission
  /** The machines that are being destroyed. */
  readonly #leaving = new Set<Promise<void>>()
  /** What changes one machine happens one after the other. */
  readonly #mutex = new KeyedMutex()
  readonly #open = new Set<Machine>()
  readonly #prepared: PreparedRoots
  readonly #names: MachineNames
  readonly #shares: FairShares
  readonly #space: SpaceKeeper
  readonly #starters = new Map<string, Promise<Starter>>()
  readonly #ports = new PortDialer()
  #usedAt = 0

  constructor(options: LocalEngineOptions) {
    this.settings = settle(options)
    openDisks(this.settings)
    this.#space = new SpaceKeeper(this.settings)
    this.#layout = cgroupLayout()
    this.#runtimes = new Runtimes(this.settings, this.#layout)
    this.#admission = new Admission(this.settings)
    this.#prepared = new PreparedRoots(this.settings)
    this.#names = new MachineNames(this.settings)
    this.volumes = new LocalVolumes(this.settings)
    this.snapshots = new LocalSnapshots({
      settings: this.settings,
      withMachine: (id, work) => this.#mutex.run(id, async () => work(await this.#record(id))),
      createFrom: (saved, spec, signal) => this.#createFrom(saved, spec, signal),
      restoreTo: (saved, handle, signal) => this.#restoreTo(saved, handle, signal),
      forget: id => this.#prepared.forget(id),
    })
    this.#shares = new FairShares({
      instance: this.settings.instance,
      layout: this.#layout,
      accounts: accountsRoot(readFileSync('/proc/self/mounts', 'utf8')),
    })
  }

  /**
   * Makes ahead what the first machine of an image would wait for. With the size of a disk, also settles when a few
   * roots of that size are in stock, as they are some moments after every create.
   */
  async prepare(imageName: string, diskMiB?: number): Promise<void> {
    const { lower } = await this.#ready(await findImage(this.settings, imageName))
    if (diskMiB !== undefined) await this.#prepared.stockUp({ lower, diskMiB })
  }

  /** Removes base images that nothing needs any more, and what builds left. Returns the names of what was removed. */
  removeUnusedImages(): Promise<string[]> {
    return removeUnusedImages(this.settings)
  }

  /** What all machines of an image stand on: made by the first that needs it, tried again after a failure. */
  #ready(image: string): Promise<Starter> {
    let starter = this.#starters.get(image)
    if (!starter) {
      starter = this.#makeReady(image)
      this.#starters.set(image, starter)
      starter.catch(() => this.#starters.delete(image))
    }
    return starter
  }

  async #makeReady(image: string): Promise<Starter> {
    await createRunDirs(this.settings)
    await raiseKernelCapacity(this.settings)
    await this.#prepared.sweep()
    await thawDisks(this.settings)
    await unmountUnusedVolumes(this.settings)
    await noteImageUse(this.settings, image)
    const router = this.#mutex.run('the router', async () => {
      if (await ensureRouter(this.settings)) await this.#applyPolicies()
    })
    const [guestDir, lower, apparmor] = await Promise.all([
      installGuestFiles(this.settings, image),
      chooseLower(this.settings, image),
      loadApparmorProfile(),
      router,
    ])
    return {
      settings: this.settings,
      runtimes: this.#runtimes,
      layout: this.#layout,
      guestDir,
      lower,
      apparmor,
    }
  }

  /** Applies the policies of existing machines again, after the rules that they are part of have changed. */
  async #applyPolicies(): Promise<void> {
    for (const id of await listIds(this.settings)) {
      const record = await readRecord(this.settings, id)
      if (!record) continue
      await applyPolicy(this.settings, record.spec, record.index)
      // It may have been destroyed meanwhile.
      if (!(await readRecord(this.settings, id)))
        await detachNetwork(this.settings, record.spec, record.index)
    }
  }

  create(spec: MachineSpec, { signal }: Abortable = {}): Promise<MachineHandle> {
    return this.#admit(spec, signal, async () => {
      const image = await findImage(this.settings, spec.image)
      return this.#mutex.run(spec.id, () => this.#create(spec, image, signal))
    })
  }

  async #admit<T>(spec: MachineSpec, signal: AbortSignal | undefined, create: () => Promise<T>): Promise<T> {
    validateSpec(spec)
    signal?.throwIfAborted()
    const makeWay = () => this.#prepared.clear()
    const leave = () => Promise.allSettled(this.#leaving)
    // Counted at once, since whoever calls gives up the place that was reserved for the machine.
    return await this.#admission.while(spec, { makeWay, leave, signal }, () =>
      this.volumes.during(spec, create),
    )
  }

  #createFrom(saved: SavedRecord, spec: MachineSpec, signal?: AbortSignal): Promise<MachineHandle> {
    const { id, base, lower, image, diskMiB } = saved
    const kind = { lower, diskMiB, saved: { id, base } }
    return this.#admit(spec, signal, () =>
      this.#mutex.run(spec.id, () => this.#createOf(kind, spec, image, signal)),
    )
  }

  async #create(spec: MachineSpec, image: string, signal?: AbortSignal): Promise<MachineHandle> {
    const starter = await this.#ready(image)
    return await this.#createOf({ lower: starter.lower, diskMiB: spec.diskMiB }, spec, image, signal)
  }

  async #createOf(
    kind: RootKind,
    spec: MachineSpec,
    image: string,
    signal?: AbortSignal,
  ): Promise<MachineHandle> {
    const starter = await this.#ready(image)
    await this.#prepared.during(kind, () =>
      createMachine({ spec, image, kind }, starter, this.#prepared, signal),
    )
    return handleOf(spec.id)
  }

  async health(): Promise<EngineHealth> {
    return { ready: true, unavailable: Object.fromEntries(this.settings.unavailableImages) }
  }

  async capacity(diskMiB: number, image?: string): Promise<Capacity> {
    const reason = image === undefined ? undefined : this.settings.unavailableImages.get(image)
    return reason === undefined ? await this.#admission.forecast(diskMiB) : { fits: 0, reason }
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
    return {
      handle,
      screenSize: record.spec.screen ?? defaultScreen,
      adb: await adbEndpoint(this.settings, record.image),
    }
  }

  /** The way into a machine, for this process or, with unread connections, for one that they are passed to. */
  async access(handle: MachineHandle, isUnread = false): Promise<Guest> {
    const id = idOf(handle)
    // gVisor's network is its own: nothing listens in the namespace that the kernel knows.
    const ports = this.#runtimes.of(await this.#record(id)).isGvisor ? undefined : this.#ports
    return guestOf(id, this.settings, this.#layout, ports, isUnread)
  }

  /** As {@link Guest.activity}, without reading the machine's record, because it is asked many times per second. */
  async activity(handle: MachineHandle): Promise<MachineActivity | undefined> {
    return activityOf(this.#layout, groupOf(this.settings.instance, idOf(handle)))
  }

  async inspect(handle: MachineHandle): Promise<MachineState> {
    const id = idOf(handle)
    const record = await readRecord(this.settings, id)
    if (!record) return { status: (await listIds(this.settings)).includes(id) ? 'creating' : 'missing' }
    const running = (await findInit(machinePaths(this.settings, id))) !== undefined
    if (!record.complete) return { status: 'creating' }
    if (!running) return { status: 'stopped', reason: 'its first process has ended' }
    return {
      status: (await isFrozen(this.#layout, groupOf(this.settings.instance, id))) ? 'paused' : 'running',
    }
  }

  async restart(handle: MachineHandle, o: Abortable = {}): Promise<void> {
    const id = idOf(handle)
    await this.#mutex.run(id, async () => this.#restart(await this.#record(id), o.signal))
  }

  async #restart(before: MachineRecord, signal?: AbortSignal): Promise<void> {
    const starter = await this.#ready(before.image)
    await this.#end(before)
    const record = await restoreDisk(this.settings, before)
    await ensureRoot(this.settings, record)
    if (!this.#runtimes.of(record).isGvisor) await this.#replaceNetwork(record)
    signal?.throwIfAborted()
    try {
      await startMachine(starter, record, signal)
    } catch (error) {
      await endProcesses(this.settings, this.#runtimes.of(record), this.#layout, record.spec.id)
      throw error
    }
  }

  async #end(record: MachineRecord): Promise<void> {
    await endProcesses(this.settings, this.#runtimes.of(record), this.#layout, record.spec.id)
    await detachNetwork(this.settings, record.spec, record.index)
  }

  async #restoreTo(saved: SavedRecord, handle: MachineHandle, signal?: AbortSignal): Promise<void> {
    const id = idOf(handle)
    await this.#mutex.run(id, async () => {
      const record = await this.#record(id)
      if (!isDeepStrictEqual(saved.lower, record.lower) || saved.diskMiB !== record.spec.diskMiB)
        throw new MachineError('INVALID', 'the snapshot is of a machine with another image or another disk')
      // Before it is recorded, so that a machine which still runs after a crash keeps its disk also later.
      await this.#end(record)
      const restoring = { ...record, restoring: saved.id }
      await writeRecord(this.settings, restoring)
      await this.#restart(restoring, signal)
    })
  }

  /** Everything that is mounted for the machine is unmounted, so that nothing of its disk is kept in memory. */
  async stop(handle: MachineHandle): Promise<void> {
    const id = idOf(handle)
    await this.#mutex.run(id, async () => {
      const record = await this.#record(id)
      await this.#end(record)
      await unmountBelow(machinePaths(this.settings, id).run)
      if (record.spec.volumes) await unmountUnusedVolumes(this.settings)
    })
  }

  /** Of the network that the machine had, nothing remains that a program in it changed. */
  async #replaceNetwork({ spec, index }: MachineRecord): Promise<void> {
    const paths = machinePaths(this.settings, spec.id)
    await removeNetwork(paths)
    await applyPolicy(this.settings, spec, index)
    await createNetwork(this.settings, paths, spec, index)
  }

  async pause(handle: MachineHandle): Promise<void> {
    await this.#whenRunning(handle, false, (runtime, id) => runtime.pause(id))
  }

  async resume(handle: MachineHandle): Promise<void> {
    await this.#whenRunning(handle, true, (runtime, id) => runtime.resume(id))
  }

  /** Does nothing when the machine is already as wanted. */
  async #whenRunning(
    handle: MachineHandle,
    frozen: boolean,
    change: (runtime: Runtime, id: string) => Promise<void>,
  ): Promise<void> {
    const id = idOf(handle)
    await this.#mutex.run(id, async () => {
      const record = await this.#record(id)
      if (!(await findInit(machinePaths(this.settings, id)))) {
        throw new MachineError('STATE', `machine ${id} does not run; restart it`)
      }
      if ((await isFrozen(this.#layout, groupOf(this.settings.instance, id))) === frozen) {
        await change(this.#runtimes.of(record), id)
      }
    })
  }

  async destroy(handle: MachineHandle): Promise<void> {
    const id = idOf(handle)
    const leaving = this.#mutex.run(id, async () => {
      const record = await readRecord(this.settings, id)
      if (record) this.#names.remove(record.index)
      this.#shares.remove(id)
      await removeMachine(this.settings, this.#runtimes, this.#layout, id)
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
    this.#noteUse()
    const ids = await listIds(this.settings)
    return await Promise.all(
      ids.map(async id => {
        const spec = (await readRecord(this.settings, id))?.spec
        return { id, handle: handleOf(id), owner: spec?.owner, image: spec?.image }
      }),
    )
  }

  /** Other engines may share the directory of the images, and must see that the images of this one are in use. */
  #noteUse(): void {
    if (Date.now() - this.#usedAt < noteUseEveryMs) return
    this.#usedAt = Date.now()
    for (const image of this.#starters.keys()) void noteImageUse(this.settings, image).catch(() => {})
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
    await removeRouter(this.settings)
    await removeGroupTree(groupParentOf(this.settings.instance))
    await sweepWorkerGroups()
    await unmountBelow(this.settings.runDir)
    await removeTree(this.settings.preparedDir)
    const kept = [...(await listSaved(this.settings)), ...(await listVolumeIds(this.settings))]
    await closeDisks(this.settings, kept.length > 0)
    await removeTree(this.settings.runDir)
    // Only when no other engine of the host is there.
    await rmdir(dirname(this.settings.runDir)).catch(() => {})
  }

  async #record(id: string): Promise<MachineRecord> {
    const record = await readRecord(this.settings, id)
    if (!record) throw new MachineError('NOT_FOUND', `there is no machine ${id}`)
    return record
  }
}
