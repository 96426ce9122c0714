import { existsSync, type FSWatcher, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Engine,
  type EngineHealth,
  type ListedMachine,
  type Machine,
  MachineError,
  type MachineHandle,
  type MachineSpec,
  type MachineState,
  type MachineStatus,
  wholeMachine,
} from '@sandglass/machines/contract'
import { paperMachine } from '../paper-engine.ts'
import { FolderSnapshots } from './folder-snapshots.ts'
import { FolderVolumes } from './folder-volumes.ts'

interface Entry {
  readonly spec: MachineSpec
  readonly status: MachineStatus
  /** What is on its disk. */
  readonly disk: string
}

const idOf = ({ state }: MachineHandle) => String(state)
const handleOf = (id: string): MachineHandle => ({ engine: 'folder', version: 1, state: id })

/** A shared engine. Each machine is a file `ID.json` in a folder, and a file `ID.cut` breaks the network to it. */
export class FolderEngine implements Engine {
  readonly name = 'folder'
  readonly scope = 'shared'
  readonly snapshots: FolderSnapshots
  readonly volumes: FolderVolumes
  readonly #folder: string
  readonly #watcher: FSWatcher
  readonly #open = new Map<string, ReturnType<typeof paperMachine>>()

  /** Throws if the folder does not exist, as opening an engine does when its cluster is down. */
  constructor(folder: string) {
    this.#folder = folder
    this.#watcher = watch(folder, () => this.#updateHealth())
    this.volumes = new FolderVolumes(folder, () => this.#ids().flatMap(id => this.#read(id)?.spec ?? []))
    this.snapshots = new FolderSnapshots(folder, {
      create: (spec, disk) => this.#create(spec, disk),
      read: handle => this.diskOf(handle),
      restore: (handle, disk) => {
        this.#set(handle, 'running')
        this.write(handle, disk)
      },
    })
  }

  /** While there is a file `memory`, snapshots can have memory. */
  get capabilities() {
    return {
      pause: true,
      egress: true,
      halfClose: true,
      saveMemory: existsSync(join(this.#folder, 'memory')),
    }
  }

  async create(spec: MachineSpec): Promise<MachineHandle> {
    return this.#create(spec, 'empty')
  }

  #create(spec: MachineSpec, disk: string): MachineHandle {
    if (this.#read(spec.id)) throw new MachineError('STATE', `there is a machine ${spec.id} already`)
    this.volumes.require(spec)
    this.#write(spec.id, { spec, status: 'running', disk })
    return handleOf(spec.id)
  }

  specOf(handle: MachineHandle): MachineSpec {
    const entry = this.#read(idOf(handle))
    if (!entry) throw new MachineError('NOT_FOUND', `there is no machine ${idOf(handle)}`)
    return entry.spec
  }

  /** What is on the disk of a machine. */
  diskOf(handle: MachineHandle): string {
    const entry = this.#read(idOf(handle))
    if (!entry) throw new MachineError('NOT_FOUND', `there is no machine ${idOf(handle)}`)
    return entry.disk
  }

  /** Writes to the disk of a machine, as a program in it would. */
  write(handle: MachineHandle, disk: string): void {
    const entry = this.#read(idOf(handle))
    if (entry) this.#write(idOf(handle), { ...entry, disk })
  }

  async health(): Promise<EngineHealth> {
    return existsSync(this.#folder)
      ? { ready: true, unavailable: {} }
      : { ready: false, reason: 'The cluster is away.' }
  }

  async capacity(diskMiB: number) {
    const fits = Math.floor(1_000_000 / diskMiB)
    return fits > 0 ? { fits } : { fits, reason: 'The cluster is full.' }
  }

  async diskSpace() {
    return { freeBytes: 1_000_000, totalBytes: 4_000_000 }
  }

  async open(handle: MachineHandle): Promise<Machine> {
    const { status, reason } = await this.inspect(handle)
    if (status === 'unreachable') throw new MachineError('UNREACHABLE', reason ?? '')
    if (status !== 'running') throw new MachineError('STATE', `it is ${status}`)
    const machine = paperMachine(handle)
    this.#open.set(idOf(handle), machine)
    return machine
  }

  async inspect(handle: MachineHandle): Promise<MachineState> {
    const id = idOf(handle)
    if (this.#isCut(id)) return { status: 'unreachable', reason: `The network to ${id} is broken.` }
    return { status: this.#read(id)?.status ?? 'missing' }
  }

  async restart(handle: MachineHandle): Promise<void> {
    this.#set(handle, 'running')
  }

  async stop(handle: MachineHandle): Promise<void> {
    this.#set(handle, 'stopped')
  }

  async pause(handle: MachineHandle): Promise<void> {
    this.#set(handle, 'paused')
  }

  async resume(handle: MachineHandle): Promise<void> {
    this.#set(handle, 'running')
  }

  async destroy(handle: MachineHandle): Promise<void> {
    if (this.#isCut(idOf(handle))) throw new MachineError('UNREACHABLE', 'The network is broken.')
    rmSync(this.#path(idOf(handle), 'json'), { force: true })
  }

  async list(): Promise<ListedMachine[]> {
    return this.#ids().flatMap(id => {
      const { owner, image } = this.#read(id)?.spec ?? {}
      return { id, handle: handleOf(id), owner, image }
    })
  }

  async close(): Promise<void> {
    this.#watcher.close()
  }

  #set(handle: MachineHandle, status: MachineStatus): void {
    const id = idOf(handle)
    if (this.#isCut(id)) throw new MachineError('UNREACHABLE', `The network to ${id} is broken.`)
    const entry = this.#read(id)
    if (!entry) throw new MachineError('NOT_FOUND', `there is no machine ${id}`)
    this.#write(id, { ...entry, status })
  }

  /** Updates the health of the open machines when their network breaks or is restored. */
  #updateHealth(): void {
    for (const [id, machine] of this.#open) {
      const isCut = this.#isCut(id)
      if (isCut === (machine.health.problem !== undefined)) continue
      const problem = {
        component: wholeMachine,
        reason: `The network to ${id} is broken.`,
        since: new Date(),
      }
      machine.health = isCut ? { problem } : {}
      machine.onHealth(machine.health)
    }
  }

  #ids(): string[] {
    return readdirSync(this.#folder).flatMap(name => /^(.*)\.json$/.exec(name)?.[1] ?? [])
  }

  #isCut(id: string): boolean {
    return existsSync(this.#path(id, 'cut'))
  }

  #path(id: string, ending: 'json' | 'cut'): string {
    return join(this.#folder, `${id}.${ending}`)
  }

  #read(id: string): Entry | undefined {
    const file = this.#path(id, 'json')
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
  }

  #write(id: string, entry: Entry): void {
    writeFileSync(this.#path(id, 'json'), JSON.stringify(entry))
  }
}
