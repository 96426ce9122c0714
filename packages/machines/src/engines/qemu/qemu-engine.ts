import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { KeyedMutex } from '@sandglass/supervision'
import type { Abortable } from '../../contract/abortable.ts'
import type { MachineActivity } from '../../contract/activity.ts'
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
import { defaultScreen, type MachineSpec } from '../../contract/spec.ts'
import { figuresOf } from '../local/figures.ts'
import { type Guest, guestOf } from '../local/guest/guest.ts'
import { Admission } from '../local/host/admission.ts'
import { capacityOf, healthOf } from '../local/host/engine-room.ts'
import { LocalMachine, type LocalReach } from '../local/local-machine.ts'
import { machinePaths } from '../local/machine-paths.ts'
import { MachineNames } from '../local/network/names/machine-names.ts'
import { type CgroupLayout, cgroupLayout, groupOf, isFrozen } from '../local/oci/cgroups.ts'
import { accountsRoot, FairShares } from '../local/oci/fair-shares.ts'
import { activityOf } from '../local/oci/group-activity.ts'
import { findInit } from '../local/oci/init-process.ts'
import { ProcessorSets } from '../local/oci/processor-sets.ts'
import { listIds, readRecord } from '../local/records.ts'
import { removeGround } from '../local/remove-ground.ts'
import { noteImageUse } from '../local/rootfs/unused-images.ts'
import { diskSpaceOf } from '../local/storage/disk-space.ts'
import { openDisks } from '../local/storage/disk-volume.ts'
import { SpaceKeeper } from '../local/storage/space-keeper.ts'
import { ConsoleMachine } from './console/console-machine.ts'
import { Ground } from './ground.ts'
import { engineName, handleOf, idOf } from './handle.ts'
import { findVmDisk } from './images/find-vm-disk.ts'
import { hasAgent } from './machine/command-line.ts'
import { currentQemu } from './machine/qemu-version.ts'
import { readNote } from './machine/read-note.ts'
import { removeVm } from './machine/remove-vm.ts'
import { setClock } from './machine/set-clock.ts'
import type { VmGround } from './machine/start-vm.ts'
import { suspendVm, wakeVm } from './machine/suspend.ts'
import { forgetSuspended } from './machine/suspended.ts'
import { switchOff } from './machine/switch-off.ts'
import { type QemuEngineOptions, type QemuSettings, settleQemu } from './options.ts'
import type { VmRecord } from './records.ts'
import { finishRestore, restoreVm } from './storage/restore-vm.ts'
import { occupiedOf } from './storage/vm-disk.ts'
import { VmSnapshots } from './storage/vm-snapshots.ts'
import { recordTemplate } from './templates/record-template.ts'
import { Templates, templateMachine } from './templates/templates.ts'
import { VmCreation } from './vm-creation.ts'

/** Virtual machines on this box, each with a kernel of its own. */
export class QemuEngine implements Engine {
  readonly name = engineName
  readonly scope = 'node'
  readonly capabilities: Capabilities = {
    pause: true,
    egress: true,
    egressNames: true,
    halfClose: true,
    saveMemory: true,
  }
  readonly settings: QemuSettings
  readonly memory: Templates
  readonly snapshots: VmSnapshots
  readonly #layout: CgroupLayout
  readonly #admission: Admission
  readonly #leaving = new Set<Promise<void>>()
  readonly #mutex = new KeyedMutex()
  readonly #open = new Set<Machine>()
  readonly #names: MachineNames
  readonly #processors: ProcessorSets
  readonly #shares: FairShares
  readonly #space: SpaceKeeper
  readonly #ground: Ground
  readonly #creation: VmCreation

  constructor(options: QemuEngineOptions) {
    this.settings = settleQemu(options)
    openDisks(this.settings)
    this.#space = new SpaceKeeper(this.settings)
    this.#layout = cgroupLayout()
    this.#admission = new Admission(this.settings)
    const group = (id: string) => groupOf(this.settings.instance, id)
    this.#processors = new ProcessorSets({ groupOf: group, layout: this.#layout })
    this.#names = new MachineNames(this.settings)
    this.#ground = new Ground(this.settings, this.#layout, this.#processors)
    this.#shares = new FairShares({
      groupOf: group,
      layout: this.#layout,
      accounts: accountsRoot(readFileSync('/proc/self/mounts', 'utf8')),
      onMeasured: machines => this.#processors.balance(machines),
    })
    this.memory = new Templates({
      settings: this.settings,
      findImage: name => findVmDisk(this.settings, name),
      record: async (spec, files, signal) => {
        const [ground, source, { machineType }] = await Promise.all([
          this.#ground.get(),
          findVmDisk(this.settings, spec.image),
          currentQemu(),
        ])
        const end = signal ?? new AbortController().signal
        await this.#mutex.run(spec.id, () =>
          recordTemplate(ground, { spec, source, machineType }, files, end),
        )
      },
      remove: id => this.#remove(id),
    })
    this.#creation = new VmCreation({
      settings: this.settings,
      ground: () => this.#ground.get(),
      admission: this.#admission,
      templates: this.memory,
      mutex: this.#mutex,
      leaving: this.#leaving,
    })
    this.snapshots = new VmSnapshots({
      settings: this.settings,
      ground: () => this.#ground.get(),
      withMachine: (id, work) => this.#mutex.run(id, async () => work(await this.#record(id))),
      createFrom: (saved, spec, signal) => this.#creation.createFrom(saved, spec, signal),
      restoreTo: async (saved, handle, signal) => {
        const ground = await this.#ground.get()
        const id = idOf(handle)
        await this.#mutex.run(id, async () => restoreVm(ground, await this.#record(id), saved, signal))
      },
    })
  }

  create(spec: MachineSpec, { signal }: Abortable = {}): Promise<MachineHandle> {
    return this.#creation.create(spec, signal)
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

  /** Whether the disk of an image exists. */
  async hasImage(image: string): Promise<boolean> {
    return await findVmDisk(this.settings, image).then(
      () => true,
      () => false,
    )
  }

  imageDigest(image: string): Promise<string> {
    return findVmDisk(this.settings, image).then(({ folder }) => folder)
  }

  async open(handle: MachineHandle): Promise<Machine> {
    const reach = await this.reach(handle)
    const { console } = reach
    const guest = await this.access(handle)
    const closed = () => this.#open.delete(machine)
    const machine: Machine = console
      ? await ConsoleMachine.open({ ...reach, console }, guest, closed)
      : await LocalMachine.open(reach, guest, closed)
    this.#open.add(machine)
    return machine
  }

  async reach(handle: MachineHandle): Promise<LocalReach> {
    const id = idOf(handle)
    const { index, spec, guest } = await this.#running(id)
    await this.#names.add(index, spec.egress)
    this.#shares.add(id, spec.cpus)
    if (!this.#processors.has(id)) await this.#processors.confine(id, spec.cpus)
    const { os, agent } = guest
    const console = { os: os === 'windows' ? os : 'linux', guestAgent: agent === 'qemu-guest-agent' } as const
    return { handle, screenSize: spec.screen ?? defaultScreen, ...(!hasAgent(guest) && { console }) }
  }

  async access(handle: MachineHandle, isUnread = false): Promise<Guest<Socket>> {
    const id = idOf(handle)
    // Files and ports of a guest are known only to its own kernel.
    const { openFile: _, ...guest } = guestOf(id, this.settings, this.#layout, { isUnread })
    const ending = async () => {
      const found = await guest.ending()
      const code = await readNote(machinePaths(this.settings, id).sockets, 'ended', 4)
      return { ...found, wasShutDown: found.hasEnded && code === '0' }
    }
    return { ...guest, ending }
  }

  /** What QEMU does, which is what its guest does. */
  async activity(handle: MachineHandle): Promise<MachineActivity | undefined> {
    return activityOf(this.#layout, groupOf(this.settings.instance, idOf(handle)))
  }

  async figures(handle: MachineHandle): Promise<MachineFigures> {
    const id = idOf(handle)
    const { spec } = await this.#running(id)
    const paths = machinePaths(this.settings, id)
    const pid = (await findInit(paths))?.pid ?? 0
    const group = groupOf(this.settings.instance, id)
    const disk = () => occupiedOf(paths.disk)
    return figuresOf({ spec, pid, layout: this.#layout, group, disk })
  }

  async inspect(handle: MachineHandle): Promise<MachineState> {
    const id = idOf(handle)
    const record = await readRecord<VmRecord>(this.settings, id)
    if (!record) return { status: (await listIds(this.settings)).includes(id) ? 'creating' : 'missing' }
    const running = (await findInit(machinePaths(this.settings, id))) !== undefined
    if (!record.complete) return { status: 'creating' }
    if (!running) return { status: 'stopped', reason: 'QEMU has ended' }
    const isPaused = await isFrozen(this.#layout, groupOf(this.settings.instance, id))
    return { status: isPaused ? 'paused' : 'running' }
  }

  async restart(handle: MachineHandle, { signal }: Abortable = {}): Promise<void> {
    await this.#change(handle, async (ground, record) => {
      const { id } = record.spec
      await switchOff(ground, record)
      await forgetSuspended(this.settings, id)
      signal?.throwIfAborted()
      await finishRestore(ground, record, signal)
    })
  }

  async stop(handle: MachineHandle): Promise<void> {
    await this.#change(handle, suspendVm)
  }

  async wake(handle: MachineHandle, { signal }: Abortable = {}): Promise<void> {
    await this.#change(handle, (ground, record) => wakeVm(ground, record, signal))
  }

  async #change(
    handle: MachineHandle,
    change: (ground: VmGround, record: VmRecord) => Promise<void>,
  ): Promise<void> {
    const id = idOf(handle)
    const ground = await this.#ground.get()
    await this.#mutex.run(id, async () => change(ground, await this.#record(id)))
  }

  async pause(handle: MachineHandle): Promise<void> {
    await this.#whenRunning(handle, false, id => this.#ground.runtime.pause(id))
  }

  async resume(handle: MachineHandle): Promise<void> {
    await this.#whenRunning(handle, true, async id => {
      await this.#ground.runtime.resume(id)
      const { guest } = await this.#record(id)
      if (hasAgent(guest)) await setClock({ settings: this.settings, layout: this.#layout }, id)
    })
  }

  /** Does nothing when the machine is already as wanted. */
  async #whenRunning(
    handle: MachineHandle,
    frozen: boolean,
    change: (id: string) => Promise<void>,
  ): Promise<void> {
    const id = idOf(handle)
    await this.#mutex.run(id, async () => {
      await this.#running(id)
      if ((await isFrozen(this.#layout, groupOf(this.settings.instance, id))) === frozen) await change(id)
    })
  }

  async destroy(handle: MachineHandle): Promise<void> {
    const leaving = this.#remove(idOf(handle))
    this.#leaving.add(leaving)
    try {
      await leaving
    } finally {
      this.#leaving.delete(leaving)
    }
  }

  async #remove(id: string): Promise<void> {
    await this.#mutex.run(id, async () => {
      const record = await readRecord<VmRecord>(this.settings, id)
      if (record) this.#names.remove(record.index)
      this.#shares.remove(id)
      this.#processors.remove(id)
      await removeVm({ settings: this.settings, runtime: this.#ground.runtime, layout: this.#layout }, id)
    })
  }

  assign(tenants: ReadonlyMap<string, string>): void {
    this.#shares.assign(tenants)
  }

  async list(): Promise<ListedMachine[]> {
    const ids = (await listIds(this.settings)).filter(id => !id.startsWith(templateMachine))
    return await Promise.all(
      ids.map(async id => {
        const record = await readRecord<VmRecord>(this.settings, id)
        if (record) await noteImageUse(this.settings, record.image).catch(() => {})
        return { id, handle: handleOf(id), owner: record?.spec.owner, image: record?.spec.image }
      }),
    )
  }

  async close(): Promise<void> {
    for (const machine of [...this.#open]) machine.close()
    this.#names.close()
    this.#shares.close()
    this.#space.close()
    this.memory.close()
  }

  /** Destroys every machine, then takes away what they stood on. Images and templates stay. */
  async dismantle(): Promise<void> {
    await this.close()
    await this.memory.sweep()
    for (const { handle } of await this.list()) await this.destroy(handle)
    this.#ground.clear()
    await removeGround(this.settings)
  }

  async #record(id: string): Promise<VmRecord> {
    const record = await readRecord<VmRecord>(this.settings, id)
    if (!record) throw new MachineError('NOT_FOUND', `there is no machine ${id}`)
    return record
  }

  async #running(id: string): Promise<VmRecord> {
    const record = await this.#record(id)
    if (!(await findInit(machinePaths(this.settings, id))))
      throw new MachineError('STATE', `machine ${id} does not run; restart it`)
    return record
  }
}
