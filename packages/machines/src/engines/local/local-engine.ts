import { readFileSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
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
import { defaultScreen, type MachineSpec } from '../../contract/spec.ts'
import { adbEndpoint } from './guest/adb-endpoint.ts'
import { type Guest, guestOf } from './guest/guest.ts'
import { installGuestFiles } from './guest/guest-files.ts'
import { engineName, handleOf, idOf } from './handle.ts'
import { Admission } from './host/admission.ts'
import { raiseKernelCapacity } from './host/kernel-capacity.ts'
import { Undo } from './host/undo.ts'
import { LocalMachine, type LocalReach } from './local-machine.ts'
import { machinePaths } from './machine-paths.ts'
import { MachineNames } from './network/names/machine-names.ts'
import {
  adaptNetwork,
  applyPolicy,
  createNetwork,
  detachNetwork,
  identityFilesOf,
  removeNetwork,
  removeUnusedNetwork,
} from './network/network.ts'
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
import { Runtimes, runtimeOf } from './oci/runtimes.ts'
import { sweepWorkerGroups } from './oci/worker-groups.ts'
import { type LocalEngineOptions, type Settings, settle } from './options.ts'
import {
  claimId,
  claimIndex,
  listIds,
  type MachineRecord,
  readRecord,
  transferIndex,
  writeRecord,
} from './records.ts'
import { endProcesses, removeMachine } from './remove-machine.ts'
import { emptyDisksFolder } from './rootfs/disk.ts'
import { findImage } from './rootfs/image-store.ts'
import { chooseLower } from './rootfs/lower.ts'
import { unmountBelow } from './rootfs/mounts.ts'
import {
  createRoot,
  movePreparedRoot,
  type RootKind,
  rangeOf,
  removePreparedRoot,
} from './rootfs/prepared-root.ts'
import { PreparedRoots } from './rootfs/prepared-roots.ts'
import { removeTree } from './rootfs/remove-tree.ts'
import { writeIdentityFiles } from './rootfs/rootfs.ts'
import { createRunDirs } from './rootfs/run-dirs.ts'
import { ensureRoot, type Starter, startMachine } from './start-machine.ts'
import { validateSpec } from './validate-spec.ts'

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
  readonly #starters = new Map<string, Promise<Starter>>()
  readonly #ports = new PortDialer()

  constructor(options: LocalEngineOptions) {
    this.settings = settle(options)
    this.#layout = cgroupLayout()
    this.#runtimes = new Runtimes(this.settings, this.#layout)
    this.#admission = new Admission(this.settings)
    this.#prepared = new PreparedRoots(this.settings)
    this.#names = new MachineNames(this.settings)
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

  async create(spec: MachineSpec, o: Abortable = {}): Promise<MachineHandle> {
    validateSpec(spec)
    o.signal?.throwIfAborted()
    // Counted at once, since whoever calls gives up the place that was reserved for the machine.
    return await this.#admission.while(
      spec,
      {
        makeWay: () => this.#prepared.clear(),
        leave: () => Promise.allSettled(this.#leaving),
        signal: o.signal,
      },
      async () => {
        const image = await findImage(this.settings, spec.image)
        return this.#mutex.run(spec.id, () => this.#create(spec, image, o.signal))
      },
    )
  }

  async #create(spec: MachineSpec, image: string, signal?: AbortSignal): Promise<MachineHandle> {
    const starter = await this.#ready(image)
    const kind = { lower: starter.lower, diskMiB: spec.diskMiB }
    await this.#prepared.during(kind, () => this.#createOf(kind, spec, image, starter, signal))
    return handleOf(spec.id)
  }

  async #createOf(
    kind: RootKind,
    spec: MachineSpec,
    image: string,
    starter: Starter,
    signal?: AbortSignal,
  ): Promise<void> {
    const { settings } = this
    const paths = machinePaths(settings, spec.id)
    const undo = new Undo()
    await claimId(settings, spec.id)
    try {
      undo.add(() => removeMachine(settings, this.#runtimes, this.#layout, spec.id))
      const root = this.#prepared.take(kind)
      if (root) undo.add(() => removePreparedRoot(settings, root.name))
      const index = root?.index ?? (await this.#claimIndex(spec.id, paths.home))
      // Before the record, which says that the machine's link and rules are those of this index.
      if (root) await transferIndex(settings, index, spec.id, paths.home)
      const { lower } = kind
      const range = rangeOf(settings, lower, index)
      const runtime = runtimeOf(settings, spec)
      const record: MachineRecord = {
        version: 1,
        spec,
        index,
        image,
        lower,
        range,
        runtime,
        complete: false,
      }
      await writeRecord(settings, record)
      const { isGvisor } = this.#runtimes.of(record)
      if (root) {
        await movePreparedRoot(settings, root.name, spec.id)
        await (isGvisor ? removeUnusedNetwork(settings, paths, index) : adaptNetwork(settings, spec, index))
      } else {
        await createRoot(settings, paths, kind, index, isGvisor ? undefined : spec)
      }
      await writeIdentityFiles(paths, identityFilesOf(spec))
      signal?.throwIfAborted()
      await startMachine(starter, record, signal)
      await writeRecord(settings, { ...record, complete: true })
    } catch (error) {
      const failures = await undo.run()
      if (failures.length === 0) throw error
      throw new AggregateError([error, ...failures], `machine ${spec.id} failed, and so did taking it away`)
    }
  }

  async health(): Promise<EngineHealth> {
    return { ready: true, unavailable: Object.fromEntries(this.settings.unavailableImages) }
  }

  async capacity(diskMiB: number, image?: string): Promise<Capacity> {
    const reason = image === undefined ? undefined : this.settings.unavailableImages.get(image)
    return reason === undefined ? await this.#admission.forecast(diskMiB) : { fits: 0, reason }
  }

  /** Prepared roots hold indexes too, and a machine goes before them. */
  async #claimIndex(id: string, home: string): Promise<number> {
    try {
      return await claimIndex(this.settings, id, home)
    } catch (error) {
      if (!(error instanceof MachineError && error.code === 'NO_CAPACITY')) throw error
      await this.#prepared.clear()
      return await claimIndex(this.settings, id, home)
    }
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
    await this.#mutex.run(id, async () => {
      const record = await this.#record(id)
      const starter = await this.#ready(record.image)
      await endProcesses(this.settings, this.#runtimes.of(record), this.#layout, id)
      await detachNetwork(this.settings, record.spec, record.index)
      await ensureRoot(this.settings, record)
      if (!this.#runtimes.of(record).isGvisor) await this.#replaceNetwork(record)
      o.signal?.throwIfAborted()
      try {
        await startMachine(starter, record, o.signal)
      } catch (error) {
        await endProcesses(this.settings, this.#runtimes.of(record), this.#layout, id)
        throw error
      }
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
    await this.#prepared.close()
  }

  /** Destroys every machine, then takes away what they stood on. Images stay. */
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
    await removeTree(emptyDisksFolder(this.settings))
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
