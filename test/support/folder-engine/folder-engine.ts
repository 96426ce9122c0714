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
import { FolderMembers } from './folder-members.ts'
import { FolderSnapshots } from './folder-snapshots.ts'
import { FolderVolumes } from './folder-volumes.ts'

interface Entry {
  readonly spec: MachineSpec
  readonly status: MachineStatus
  /** What is on its disk. */
  readonly disk: string
  /** The member of the cluster that has it. */
  readonly member?: string | undefined
}

const idOf = ({ state }: MachineHandle) => String(state)
const handleOf = (id: string): MachineHandle => ({ engine: 'folder', version: 1, state: id })

/**
 * A shared engine. Each machine is a file `ID.json` in a folder, and a file `ID.cut` breaks the network to it. The machines of a
 * cluster with members are lost, or cannot be reached, with their member.
 */
export class FolderEngine implements Engine {
  readonly name = 'folder'
  readonly scope = 'shared'
  readonly snapshots: FolderSnapshots
  readonly volumes: FolderVolumes
  readonly cluster: string
  readonly #members: FolderMembers
  readonly #folder: string
  readonly #watcher: FSWatcher
  readonly #open = new Map<string, ReturnType<typeof paperMachine>>()

  /** Throws if the folder does not exist, as opening an engine does when its cluster is down. */
  constructor(folder: string) {
    this.#folder = folder
    this.cluster = folder
    this.#members = new FolderMembers(folder)
    this.#watcher = watch(folder, () => this.#updateHealth())
    this.volumes = new FolderVolumes(folder, () => this.#ids().flatMap(id => this.#read(id)?.spec ?? []))
    this.snapshots = new FolderSnapshots(folder, {
      create: (spec, disk) => this.#create(spec, disk),
      read: handle => this.diskOf(handle),
      restore: (handle, disk) => {
        this.#set(handle, 'running')
        this.write(handle, disk)
      },
      memberOf: handle => this.#read(idOf(handle))?.member,
      whyLost: member => this.#members.whyLost(member),
    })
  }

  /** While there is a file `memory`, snapshots can have memory. */
  get capabilities() {
    return {
      pause: true,
      egress: true,
      egressNames: false,
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
    const used = this.#used()
    const member = this.#members.choose(spec.place?.member, used)
    if (member === undefined && this.#members.list(used).length > 0)
      throw new MachineError('NO_CAPACITY', 'No member of the cluster takes machines.')
    this.#write(spec.id, { spec, status: 'running', disk, member })
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

  async members() {
    return this.#members.list(this.#used())
  }

  async diskSpace() {
    return { freeBytes: 1_000_000, totalBytes: 4_000_000 }
  }

  async open(handle: MachineHandle): Promise<Machine> {
    const { status, reason } = await this.inspect(handle)
    if (status === 'unreachable' || status === 'lost') throw new MachineError('UNREACHABLE', reason ?? '')
    if (status !== 'running') throw new MachineError('STATE', `it is ${status}`)
    const machine = paperMachine(handle)
    this.#open.set(idOf(handle), machine)
    return machine
  }

  async inspect(handle: MachineHandle): Promise<MachineState> {
    const id = idOf(handle)
    const cut = this.#whyCut(id)
    if (cut !== undefined) return { status: 'unreachable', reason: cut }
    const entry = this.#read(id)
    const lost = this.#members.whyLost(entry?.member)
    if (lost !== undefined) return { status: 'lost', reason: lost }
    return { status: entry?.status ?? 'missing' }
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
    this.#requireReachable(idOf(handle))
    rmSync(this.#path(idOf(handle), 'json'), { force: true })
  }

  memberOf(handle: MachineHandle): string | undefined {
    return this.#read(idOf(handle))?.member
  }

  /** Fails while there is a file `fail.list`. */
  async list(): Promise<ListedMachine[]> {
    if (existsSync(join(this.#folder, 'fail.list')))
      throw new MachineError('UNREACHABLE', 'The cluster does not answer.')
    return this.#ids().flatMap(id => {
      const { spec, member } = this.#read(id) ?? {}
      return { id, handle: handleOf(id), owner: spec?.owner, image: spec?.image, member }
    })
  }

  async close(): Promise<void> {
    this.#watcher.close()
  }

  #set(handle: MachineHandle, status: MachineStatus): void {
    const id = idOf(handle)
    this.#requireReachable(id)
    const entry = this.#read(id)
    if (!entry) throw new MachineError('NOT_FOUND', `there is no machine ${id}`)
    this.#write(id, { ...entry, status })
  }

  /** Updates the health of the open machines when their network breaks or is restored. */
  #updateHealth(): void {
    for (const [id, machine] of this.#open) {
      const reason = this.#whyCut(id)
      if ((reason !== undefined) === (machine.health.problem !== undefined)) continue
      const since = new Date()
      machine.health = reason === undefined ? {} : { problem: { component: wholeMachine, reason, since } }
      machine.onHealth(machine.health)
    }
  }

  #ids(): string[] {
    return readdirSync(this.#folder).flatMap(name => /^(.*)\.json$/.exec(name)?.[1] ?? [])
  }

  /** The members of all machines. */
  #used(): (string | undefined)[] {
    return this.#ids().map(id => this.#read(id)?.member)
  }

  /** Why a machine cannot be reached, or undefined if it can. */
  #whyCut(id: string): string | undefined {
    if (existsSync(this.#path(id, 'cut'))) return `The network to ${id} is broken.`
    return this.#members.whyCut(this.#read(id)?.member)
  }

  #requireReachable(id: string): void {
    const reason = this.#whyCut(id) ?? this.#members.whyLost(this.#read(id)?.member)
    if (reason !== undefined) throw new MachineError('UNREACHABLE', reason)
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
