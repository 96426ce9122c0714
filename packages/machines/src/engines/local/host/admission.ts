import { setTimeout as pause } from 'node:timers/promises'
import type { Abortable } from '../../../contract/abortable.ts'
import type { Capacity } from '../../../contract/engine.ts'
import { MachineError } from '../../../contract/errors.ts'
import type { MachineSpec } from '../../../contract/spec.ts'
import type { Settings } from '../options.ts'
import type { PreparedRoots } from '../rootfs/prepared-roots.ts'
import {
  type HostLook,
  type HostRoom,
  lookAtHost,
  promisableMiB,
  roomFor,
  roomOf,
  startingDiskMiB,
  startingMemoryMiB,
  unavailableDiskMiB,
} from './host-room.ts'
import { SharedCall } from './shared-call.ts'

/** How long a create waits for room. */
const patienceMs = 3000
const lookAgainMs = 100

type Wanted = Pick<MachineSpec, 'id' | 'diskMiB'>

interface Surroundings extends Abortable {
  readonly prepared: Pick<PreparedRoots, 'preparingMiB' | 'clear'>
  readonly leave: () => Promise<unknown>
}

/** Admits machines. Counts creates that are under way, because what they will take does not show yet. */
export class Admission {
  readonly #settings: Settings
  /** Of a crowd of creates, each would otherwise look at the disks of all. */
  readonly #host: SharedCall<HostLook>
  readonly #starting = new Map<string, number>()

  constructor(settings: Settings) {
    this.#settings = settings
    this.#host = new SharedCall(() => lookAtHost(settings))
  }

  /** How many further machines with a disk of this size fit now, and what is exhausted where none does. */
  async forecast(diskMiB: number): Promise<Capacity> {
    const room = await this.#look()
    const reason = shortageOf(room, this.#settings, diskMiB)
    return reason === undefined ? { fits: roomFor(room, this.#settings, diskMiB) } : { fits: 0, reason }
  }

  /**
   * Refuses what clearly does not fit, even after a while: the caller saw room for it a moment ago, so what takes the room
   * may be about to leave. Prepared roots are removed where a machine fits only without them. `leave` resolves when the
   * machines that are being destroyed are gone.
   */
  async while<T>(
    { id, diskMiB }: Wanted,
    { prepared, leave, signal }: Surroundings,
    create: () => Promise<T>,
  ): Promise<T> {
    // Of two creates with one id, the second fails for that reason, and must not uncount the first.
    if (this.#starting.has(id)) return await create()
    this.#starting.set(id, diskMiB)
    try {
      const room = await this.#roomy({ id, diskMiB }, leave, signal)
      const ofPrepared = room.prepared.promisedMiB + prepared.preparingMiB
      if (room.machines.promisedMiB + ofPrepared + diskMiB > promisableMiB(room, this.#settings))
        await prepared.clear()
      return await create()
    } finally {
      this.#starting.delete(id)
    }
  }

  /** Waits until a machine fits, or refuses it. */
  async #roomy(
    { id, diskMiB }: Wanted,
    leave: Surroundings['leave'],
    signal: AbortSignal | undefined,
  ): Promise<HostRoom> {
    for (const end = performance.now() + patienceMs; ; await pause(lookAgainMs, undefined, { signal })) {
      const room = await this.#look(id)
      const shortage = shortageOf(withTolerance(room, this.#settings, diskMiB), this.#settings, diskMiB)
      if (shortage === undefined) return room
      if (performance.now() >= end) throw new MachineError('NO_CAPACITY', shortage)
      await leave()
    }
  }

  /** As if the creates that began before this one, or all, had already taken what a desktop takes. */
  async #look(id?: string): Promise<HostRoom> {
    const ids = [...this.#starting.keys()]
    const earlier = [...this.#starting.values()].slice(0, id === undefined ? ids.length : ids.indexOf(id))
    const room = roomOf(await this.#host.call(), new Set(ids))
    const promised = earlier.reduce((sum, diskMiB) => sum + diskMiB, 0)
    const takenMiB = earlier.length * startingDiskMiB
    const { machines } = room
    return {
      ...room,
      availableMemoryMiB: room.availableMemoryMiB - earlier.length * startingMemoryMiB,
      freeDiskMiB: room.freeDiskMiB - takenMiB,
      // What they take is part of what they are promised.
      machines: { takenMiB: machines.takenMiB + takenMiB, promisedMiB: machines.promisedMiB + promised },
    }
  }
}

/** The host may have a little less than when the caller looked. That comes out of the reserves. */
function withTolerance(room: HostRoom, settings: Settings, diskMiB: number): HostRoom {
  const { reserveMemoryMiB, reserveDiskMiB, diskOvercommit } = settings
  return {
    ...room,
    availableMemoryMiB: room.availableMemoryMiB + Math.min(startingMemoryMiB, reserveMemoryMiB / 2),
    freeDiskMiB: room.freeDiskMiB + Math.min(diskMiB / 4, reserveDiskMiB / 2) / Math.max(1, diskOvercommit),
  }
}

function shortageOf(room: HostRoom, settings: Settings, diskMiB: number): string | undefined {
  if (roomFor(room, settings, diskMiB) > 0) return undefined
  const { availableMemoryMiB, freeDiskMiB, machines } = room
  if (availableMemoryMiB - settings.reserveMemoryMiB < startingMemoryMiB)
    return (
      `The host is short of memory: ${availableMemoryMiB} MiB are available, of which ` +
      `${settings.reserveMemoryMiB} MiB stay reserved. Delete sandboxes, or try again later.`
    )
  const reservedMiB = unavailableDiskMiB(settings)
  if (freeDiskMiB + room.prepared.takenMiB - reservedMiB < startingDiskMiB)
    return (
      `The host is short of disk: ${freeDiskMiB} MiB are free, of which ${reservedMiB} MiB stay ` +
      'reserved for the service. Delete sandboxes, or ask the operator to free disk space.'
    )
  return (
    `The host's disk is promised to other machines: ${Math.round(machines.promisedMiB)} of ` +
    `${promisableMiB(room, settings)} MiB, and this machine asks for ${diskMiB} MiB. Delete sandboxes, choose a ` +
    'shape with a smaller disk, or ask the operator to add disk or raise SANDGLASS_DISK_OVERCOMMIT.'
  )
}
