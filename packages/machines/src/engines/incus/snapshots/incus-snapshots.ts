import type { KeyedMutex } from '@sandglass/supervision'
import type { Abortable } from '../../../contract/abortable.ts'
import { MachineError } from '../../../contract/errors.ts'
import type { MachineHandle } from '../../../contract/handle.ts'
import type {
  ListedSnapshot,
  SnapshotHandle,
  SnapshotSpec,
  Snapshots,
  TakenSnapshot,
} from '../../../contract/snapshots.ts'
import type { MachineSpec } from '../../../contract/spec.ts'
import { namePattern } from '../../local/validate-spec.ts'
import { type IncusClient, IncusError } from '../client/index.ts'
import { handleOf, idOf } from '../handle.ts'
import type { Creation, InstanceSource } from '../machine/creation.ts'
import { type Instance, idOfSaved, nextOf, savedOf, specOf } from '../machine/instance.ts'
import type { Instances } from '../machine/instances.ts'
import { validateClusterSpec } from '../machine/validate-cluster-spec.ts'
import type { Members } from '../members.ts'
import { requireSame, type SavedRecord, savedConfig, savedRecordOf } from './saved-record.ts'
import { writtenMiB } from './written.ts'

/** A file system that cannot share blocks copies the whole disk. */
const copyDeadlineMs = 600_000

export interface SnapshotParts {
  readonly client: IncusClient
  readonly instances: Instances
  readonly members: Members
  readonly creation: Creation
  /** Nothing else changes a machine while its id is taken. */
  readonly mutex: KeyedMutex
}

interface Saved {
  readonly instance: Instance
  readonly record: SavedRecord
}

/** Saved disks of machines. Each is an instance that never runs, on the member that its machine had. */
export class IncusSnapshots implements Snapshots {
  readonly #parts: SnapshotParts

  constructor(parts: SnapshotParts) {
    this.#parts = parts
  }

  async take(
    machine: MachineHandle,
    { id, owner, memory }: SnapshotSpec,
    { signal }: Abortable = {},
  ): Promise<TakenSnapshot> {
    signal?.throwIfAborted()
    if (!namePattern.test(id))
      throw new MachineError(
        'INVALID',
        'id is 1 to 40 lower-case letters, digits and -, and starts with no -',
      )
    if (memory) throw new MachineError('INVALID', 'The memory of machines in a cluster cannot be saved.')
    const { mutex, instances } = this.#parts
    const machineId = this.#parts.instances.idOf(machine)
    return await mutex.run(machineId, async () => {
      const source = await instances.require(machineId)
      const { image, diskMiB } = requireSpec(source)
      const sizeMiB = await writtenMiB(() => instances.state(machineId))
      const takenAt = new Date().toISOString()
      const record = { image, diskMiB, ...(owner && { owner }), takenAt, sizeMiB, isComplete: false }
      const { pauseMs } = await instances.whileStill(machineId, () => this.#copy(source, id, record))
      await this.#complete(id, record, signal)
      return { handle: handleOf(id), pauseMs, sizeMiB }
    })
  }

  /** Not aborted, because Incus would go on: what it makes is removed after that. */
  async #copy({ name, location }: Instance, id: string, record: SavedRecord): Promise<void> {
    const { client, instances } = this.#parts
    const body = {
      name: savedOf(id),
      profiles: [],
      // What is not named here is as in the machine. Users and addresses of its own are for those that run.
      config: { ...savedConfig(record), 'security.idmap.isolated': 'false' },
      devices: { eth0: { type: 'none' } },
      source: { type: 'copy', source: name, instance_only: true },
    }
    try {
      const path = `/instances?target=${encodeURIComponent(location)}`
      await client.run('POST', path, body, { deadlineMs: copyDeadlineMs })
    } catch (error) {
      if (error instanceof IncusError && error.code === 'EXISTS')
        throw new MachineError('STATE', `there is a snapshot ${id} already`)
      await instances.remove(savedOf(id))
      throw error
    }
  }

  /** A disk that a killed process or member left is never complete, so nothing is created from a part of one. */
  async #complete(id: string, record: SavedRecord, signal?: AbortSignal): Promise<void> {
    const { client, instances } = this.#parts
    try {
      signal?.throwIfAborted()
      const config = savedConfig({ ...record, isComplete: true })
      await client.send('PATCH', `/instances/${savedOf(id)}`, { config })
    } catch (error) {
      await instances.remove(savedOf(id))
      throw error
    }
  }

  async create(
    snapshot: SnapshotHandle,
    spec: MachineSpec,
    { signal }: Abortable = {},
  ): Promise<MachineHandle> {
    validateClusterSpec(spec)
    const saved = await this.#require(snapshot)
    requireSame(saved.record, spec)
    const { mutex, creation } = this.#parts
    const placed = spec.place?.member === undefined ? await this.#beside(saved, spec) : spec
    await mutex.run(spec.id, () => creation.make(placed, copyOf(saved), signal))
    return handleOf(spec.id)
  }

  /** Where the disk is, a machine shares its blocks; anywhere else it is sent over the network. */
  async #beside({ instance: { location } }: Saved, spec: MachineSpec): Promise<MachineSpec> {
    const members = await this.#parts.members.known()
    const takesMachines = members.some(({ name, status }) => name === location && status === 'online')
    return takesMachines ? { ...spec, place: { member: location } } : spec
  }

  async restore(machine: MachineHandle, snapshot: SnapshotHandle, { signal }: Abortable = {}): Promise<void> {
    signal?.throwIfAborted()
    const saved = await this.#require(snapshot)
    const { mutex, instances, creation } = this.#parts
    const id = instances.idOf(machine)
    await mutex.run(id, async () => {
      const instance = await instances.require(id)
      const spec = requireSpec(instance)
      requireSame(saved.record, spec)
      await instances.disks.clear(id)
      await creation.prepareNext(spec, copyOf(saved), instance.location)
      try {
        signal?.throwIfAborted()
        await instances.stop(id)
      } catch (error) {
        await instances.remove(nextOf(id))
        throw error
      }
      await instances.disks.swap(id)
      await creation.start(id, signal).finally(() => instances.disks.clear(id))
    })
  }

  async remove(snapshot: SnapshotHandle): Promise<void> {
    await this.#parts.instances.remove(savedOf(idOf(snapshot)))
  }

  async obstacle(snapshot: SnapshotHandle): Promise<string | undefined> {
    const { instances, members } = this.#parts
    const name = savedOf(idOf(snapshot))
    // A process that has just started has not seen it yet.
    if (instances.locationOf(name) === undefined) await instances.list().catch(() => {})
    const member = instances.locationOf(name)
    if (member === undefined || !(await members.isLost(member))) return undefined
    return `The member ${member} of the cluster, which has it, is gone.`
  }

  async list(): Promise<ListedSnapshot[]> {
    return (await this.#parts.instances.list()).flatMap(instance => {
      const id = idOfSaved(instance.name)
      if (id === undefined) return []
      const { owner, sizeMiB = 0 } = savedRecordOf(instance) ?? {}
      return [{ id, handle: handleOf(id), owner, sizeMiB }]
    })
  }

  async #require(snapshot: SnapshotHandle): Promise<Saved> {
    const id = idOf(snapshot)
    const instance = await this.#parts.instances.find(savedOf(id))
    const record = instance && savedRecordOf(instance)
    if (!instance || !record?.isComplete) throw new MachineError('NOT_FOUND', `there is no snapshot ${id}`)
    return { instance, record }
  }
}

const copyOf = ({ instance: { name, architecture } }: Saved): InstanceSource => ({
  source: { type: 'copy', source: name, instance_only: true },
  architecture,
})

function requireSpec(instance: Instance) {
  const spec = specOf(instance)
  if (!spec) throw new MachineError('NOT_FOUND', `there is no machine in ${instance.name}`)
  return spec
}
