import { rm, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Abortable, Capabilities, Engine, MachineState } from '../../contract/engine.ts'
import { MachineError } from '../../contract/errors.ts'
import type { MachineHandle } from '../../contract/handle.ts'
import type { Machine } from '../../contract/machine.ts'
import { defaultScreen, type MachineSpec } from '../../contract/spec.ts'
import { allSettledOrThrow } from './all-settled.ts'
import { Capacity } from './capacity.ts'
import { type CgroupLayout, cgroupLayout, groupOf, groupParentOf, isFrozen, removeGroup } from './cgroups.ts'
import { mountDisk } from './disk.ts'
import { guestOf } from './guest.ts'
import { layGuestFiles } from './guest-files.ts'
import { engineName, handleOf, idOf } from './handle.ts'
import { findImage } from './image-store.ts'
import { findInit } from './init-process.ts'
import { LocalMachine } from './local-machine.ts'
import { chooseLower } from './lower.ts'
import { unmountBelow } from './mounts.ts'
import { applyPolicy, detachNetwork, nameFiles } from './network.ts'
import { type LocalEngineOptions, type Settings, settle } from './options.ts'
import { layPassage } from './passage.ts'
import { placesOf } from './places.ts'
import { claimId, claimIndex, listIds, type MachineRecord, readRecord, writeRecord } from './records.ts'
import { endProcesses, removeMachine } from './remove-machine.ts'
import { writeFirstFiles } from './rootfs.ts'
import { ensureRouter, removeRouter } from './router.ts'
import { Runtime } from './runtime.ts'
import { SpareDisks } from './spare-disks.ts'
import { ensureRoot, mountMachineRoot, type Starter, startMachine } from './start-machine.ts'
import { Turns } from './turns.ts'
import { sharedRange, uidRangeOf } from './uid-ranges.ts'
import { Undo } from './undo.ts'
import { validateSpec } from './validate-spec.ts'
import { watchMachine } from './watch.ts'

/** Debian desktops on this box, each in namespaces of its own. */
export class LocalEngine implements Engine {
  readonly name = engineName
  readonly capabilities: Capabilities = { pause: true, egress: true, diskLimit: true, x11: true }
  readonly settings: Settings
  readonly #runtime: Runtime
  readonly #layout: CgroupLayout
  readonly #capacity: Capacity
  /** What changes one machine happens one after the other. */
  readonly #turns = new Turns()
  readonly #open = new Set<Machine>()
  readonly #spareDisks: SpareDisks
  readonly #starters = new Map<string, Promise<Starter>>()

  constructor(options: LocalEngineOptions) {
    this.settings = settle(options)
    this.#runtime = new Runtime(this.settings)
    this.#layout = cgroupLayout()
    this.#capacity = new Capacity(this.settings)
    this.#spareDisks = new SpareDisks(this.settings)
  }

  /** Makes ahead what the first machine of an image would wait for. */
  async prepare(imageName: string): Promise<void> {
    await this.#ready(await findImage(this.settings, imageName))
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
    await layPassage(this.settings)
    const router = this.#turns.take('the router', () => ensureRouter(this.settings))
    const [guestDir, lower] = await Promise.all([
      layGuestFiles(this.settings, image),
      chooseLower(this.settings, image),
      router,
    ])
    return { settings: this.settings, runtime: this.#runtime, layout: this.#layout, guestDir, lower }
  }

  async create(spec: MachineSpec, o: Abortable = {}): Promise<MachineHandle> {
    validateSpec(spec)
    o.signal?.throwIfAborted()
    const image = await findImage(this.settings, spec.image)
    return await this.#capacity.while(() =>
      this.#turns.take(spec.id, () => this.#create(spec, image, o.signal)),
    )
  }

  async #create(spec: MachineSpec, image: string, signal?: AbortSignal): Promise<MachineHandle> {
    const { settings } = this
    const starter = await this.#ready(image)
    const places = placesOf(settings, spec.id)
    const undo = new Undo()
    await claimId(settings, spec.id)
    try {
      undo.add(() => removeMachine(settings, this.#runtime, this.#layout, spec.id))
      const index = await claimIndex(settings, spec.id)
      const { lower } = starter
      const range = lower.mapped ? uidRangeOf(settings, index) : sharedRange
      const record: MachineRecord = { version: 1, spec, index, image, lower, range, complete: false }
      await writeRecord(settings, record)
      await this.#spareDisks.take(places.disk, spec.diskMiB)
      await mountDisk(places, range)
      await writeFirstFiles(places, range, nameFiles(spec))
      await allSettledOrThrow([mountMachineRoot(settings, record), applyPolicy(settings, spec, index)])
      signal?.throwIfAborted()
      await startMachine(starter, record, signal)
      await writeRecord(settings, { ...record, complete: true })
      this.#spareDisks.refill(spec.diskMiB)
      return handleOf(spec.id)
    } catch (error) {
      const failures = await undo.run()
      if (failures.length === 0) throw error
      throw new AggregateError([error, ...failures], `machine ${spec.id} failed, and so did taking it away`)
    }
  }

  room(): Promise<number> {
    return this.#capacity.room()
  }

  async open(handle: MachineHandle): Promise<Machine> {
    const id = idOf(handle)
    const record = await this.#record(id)
    const places = placesOf(this.settings, id)
    if (!(await findInit(places))) throw new MachineError('STATE', `machine ${id} does not run; restart it`)
    const group = groupOf(this.settings.instance, id)
    const guest = guestOf(id, places, this.#layout, group)
    const watch = await watchMachine(guest, this.#layout, group)
    const machine = new LocalMachine(handle, record.spec.screen ?? defaultScreen, guest, watch)
    this.#open.add(machine)
    machine.died.then(() => this.#open.delete(machine))
    return machine
  }

  async inspect(handle: MachineHandle): Promise<MachineState> {
    const id = idOf(handle)
    const record = await readRecord(this.settings, id)
    if (!record) return { status: (await listIds(this.settings)).includes(id) ? 'creating' : 'missing' }
    const running = (await findInit(placesOf(this.settings, id))) !== undefined
    if (!record.complete) return { status: 'creating' }
    if (!running) return { status: 'stopped', reason: 'its first process has ended' }
    return {
      status: (await isFrozen(this.#layout, groupOf(this.settings.instance, id))) ? 'paused' : 'running',
    }
  }

  async restart(handle: MachineHandle, o: Abortable = {}): Promise<void> {
    const id = idOf(handle)
    await this.#turns.take(id, async () => {
      const record = await this.#record(id)
      const starter = await this.#ready(record.image)
      await endProcesses(this.settings, this.#runtime, this.#layout, id)
      await detachNetwork(this.settings, record.spec, record.index)
      await ensureRoot(this.settings, record)
      await applyPolicy(this.settings, record.spec, record.index)
      o.signal?.throwIfAborted()
      try {
        await startMachine(starter, record, o.signal)
      } catch (error) {
        await endProcesses(this.settings, this.#runtime, this.#layout, id)
        throw error
      }
    })
  }

  async pause(handle: MachineHandle): Promise<void> {
    await this.#whenRunning(handle, false, id => this.#runtime.pause(id))
  }

  async resume(handle: MachineHandle): Promise<void> {
    await this.#whenRunning(handle, true, id => this.#runtime.resume(id))
  }

  /** Does nothing when the machine is already as wanted. */
  async #whenRunning(
    handle: MachineHandle,
    frozen: boolean,
    change: (id: string) => Promise<void>,
  ): Promise<void> {
    const id = idOf(handle)
    await this.#turns.take(id, async () => {
      await this.#record(id)
      if (!(await findInit(placesOf(this.settings, id)))) {
        throw new MachineError('STATE', `machine ${id} does not run; restart it`)
      }
      if ((await isFrozen(this.#layout, groupOf(this.settings.instance, id))) === frozen) await change(id)
    })
  }

  async destroy(handle: MachineHandle): Promise<void> {
    const id = idOf(handle)
    await this.#turns.take(id, () => removeMachine(this.settings, this.#runtime, this.#layout, id))
  }

  async list(): Promise<MachineHandle[]> {
    return (await listIds(this.settings)).map(handleOf)
  }

  async close(): Promise<void> {
    for (const machine of this.#open) machine.close()
    this.#open.clear()
    await this.#spareDisks.idle()
  }

  /** Destroys every machine, then takes away what they stood on. Images stay. */
  async dismantle(): Promise<void> {
    await this.close()
    for (const handle of await this.list()) await this.destroy(handle)
    this.#starters.clear()
    await this.#spareDisks.remove()
    await removeRouter(this.settings)
    await removeGroup(groupParentOf(this.settings.instance))
    await unmountBelow(this.settings.runDir)
    await rm(this.settings.runDir, { recursive: true, force: true })
    // Only when no other engine of the host is there.
    await rmdir(dirname(this.settings.runDir)).catch(() => {})
  }

  async #record(id: string): Promise<MachineRecord> {
    const record = await readRecord(this.settings, id)
    if (!record) throw new MachineError('NOT_FOUND', `there is no machine ${id}`)
    return record
  }
}
