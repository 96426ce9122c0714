import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type ListedSnapshot,
  MachineError,
  type MachineHandle,
  type MachineOwner,
  type MachineSpec,
  type SnapshotHandle,
  type SnapshotSpec,
  type Snapshots,
  type TakenSnapshot,
} from '@sandglass/machines/contract'

interface Saved {
  readonly owner?: MachineOwner
  readonly disk: string
  readonly memory: boolean
  /** The only member that has it. */
  readonly member?: string | undefined
}

/** What the engine does for its snapshots. */
export interface FolderDisks {
  create(spec: MachineSpec, disk: string): MachineHandle
  read(handle: MachineHandle): string
  restore(handle: MachineHandle, disk: string): void
  memberOf(handle: MachineHandle): string | undefined
  whyLost(member: string | undefined): string | undefined
}

const handleOf = (id: string): SnapshotHandle => ({ engine: 'folder', version: 1, state: id })
const idOf = ({ state }: SnapshotHandle) => String(state)

/**
 * Each snapshot is a file `ID.disk`. While there is a file `wait.take` or `wait.create`, that operation does not end; while there
 * is a file `fail.take` or `fail.remove`, it fails. While there is a file `local.disks`, only the member of the machine has it.
 */
export class FolderSnapshots implements Snapshots {
  readonly #folder: string
  readonly #disks: FolderDisks

  constructor(folder: string, disks: FolderDisks) {
    this.#folder = folder
    this.#disks = disks
  }

  async take(
    machine: MachineHandle,
    { id, owner, memory = false }: SnapshotSpec,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<TakenSnapshot> {
    const disk = this.#disks.read(machine)
    const isLocal = existsSync(join(this.#folder, 'local.disks'))
    const member = isLocal ? this.#disks.memberOf(machine) : undefined
    this.#write(id, { disk, memory, member, ...(owner && { owner }) })
    await this.#wait('take', signal).catch(error => {
      rmSync(this.#path(id), { force: true })
      throw error
    })
    if (existsSync(join(this.#folder, 'fail.take'))) {
      rmSync(this.#path(id), { force: true })
      throw new MachineError('HOST_FULL', 'The disk of the cluster is full.')
    }
    return { handle: handleOf(id), pauseMs: 5, sizeMiB: 1 }
  }

  async create(
    snapshot: SnapshotHandle,
    spec: MachineSpec,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<MachineHandle> {
    await this.#wait('create', signal)
    const obstacle = await this.obstacle(snapshot)
    if (obstacle !== undefined) throw new MachineError('UNREACHABLE', obstacle)
    return this.#disks.create(spec, this.#read(snapshot).disk)
  }

  async restore(machine: MachineHandle, snapshot: SnapshotHandle): Promise<void> {
    this.#disks.restore(machine, this.#read(snapshot).disk)
  }

  async remove(snapshot: SnapshotHandle): Promise<void> {
    if (existsSync(join(this.#folder, 'fail.remove')))
      throw new MachineError('UNREACHABLE', 'The cluster does not answer.')
    rmSync(this.#path(idOf(snapshot)), { force: true })
  }

  async obstacle(snapshot: SnapshotHandle): Promise<string | undefined> {
    return this.#disks.whyLost(this.#read(snapshot).member)
  }

  async list(): Promise<ListedSnapshot[]> {
    return this.#ids().map(id => ({
      id,
      handle: handleOf(id),
      owner: this.#read(handleOf(id)).owner,
      sizeMiB: 1,
    }))
  }

  /** The snapshots that have memory. */
  withMemory(): string[] {
    return this.#ids().filter(id => this.#read(handleOf(id)).memory)
  }

  async #wait(operation: 'take' | 'create', signal?: AbortSignal): Promise<void> {
    while (existsSync(join(this.#folder, `wait.${operation}`))) await delay(10, undefined, { signal })
  }

  #ids(): string[] {
    return readdirSync(this.#folder).flatMap(name => /^(.*)\.disk$/.exec(name)?.[1] ?? [])
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.disk`)
  }

  #read(snapshot: SnapshotHandle): Saved {
    const file = this.#path(idOf(snapshot))
    if (!existsSync(file)) throw new MachineError('NOT_FOUND', 'there is no such snapshot')
    return JSON.parse(readFileSync(file, 'utf8'))
  }

  #write(id: string, saved: Saved): void {
    writeFileSync(this.#path(id), JSON.stringify(saved))
  }
}
