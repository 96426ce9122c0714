import { readFile, statfs } from 'node:fs/promises'
import { MachineError } from '../../../contract/errors.ts'
import type { Settings } from '../options.ts'
import { type DiskUse, type DiskUses, sumOf, usesOfMachines, usesOfPrepared } from '../rootfs/disk-use.ts'
import { isVolume } from '../storage/disk-volume.ts'

/** What a desktop takes when it starts, with some to spare; its limits are more, and rarely used by all at once. */
export const startingMemoryMiB = 96
export const startingDiskMiB = 64

/** What the host has left, and what its machines were promised. */
export interface HostRoom {
  readonly availableMemoryMiB: number
  readonly freeDiskMiB: number
  readonly machines: DiskUse
  /** Prepared roots give way to machines. */
  readonly prepared: DiskUse
}

/** What is free for the disks of machines: in their volume, if they have one, and on the host, by which it can grow. */
export async function freeDiskMiB(settings: Pick<Settings, 'dataDir' | 'disksDir'>): Promise<number> {
  const free = async (folder: string) => {
    const { bavail, bsize } = await statfs(folder)
    return (bavail * bsize) / 1024 / 1024
  }
  const onHost = await free(settings.dataDir)
  return Math.floor(isVolume(settings) ? onHost + (await free(settings.disksDir)) : onHost)
}

/** What the host and its disks say at one moment. */
export interface HostLook {
  readonly availableMemoryMiB: number
  readonly freeDiskMiB: number
  readonly machines: DiskUses
  readonly prepared: DiskUses
}

/**
 * What changes meanwhile is counted as taken rather than as free: disks move from the prepared ones to the machines, and take
 * what is free.
 */
export async function lookAtHost(settings: Settings): Promise<HostLook> {
  const machines = await usesOfMachines(settings)
  const prepared = await usesOfPrepared(settings)
  const [memory, freeMiB] = await Promise.all([readFile('/proc/meminfo', 'utf8'), freeDiskMiB(settings)])
  return {
    availableMemoryMiB: Math.floor(Number(/^MemAvailable:\s+(\d+)/m.exec(memory)?.[1] ?? 0) / 1024),
    freeDiskMiB: freeMiB,
    machines,
    prepared,
  }
}

/** What machines were promised whose ids are given is left out, because their maker counts it. */
export function roomOf(look: HostLook, unpromised?: ReadonlySet<string>): HostRoom {
  return { ...look, machines: sumOf(look.machines, unpromised), prepared: sumOf(look.prepared) }
}

export const hostRoom = async (settings: Settings): Promise<HostRoom> => roomOf(await lookAtHost(settings))

/** What machines may not take: the reserve, and what the service itself may still fill. */
export const unavailableDiskMiB = ({ reserveDiskMiB, unpromisedDiskMiB }: Settings): number =>
  reserveDiskMiB + unpromisedDiskMiB

/**
 * How much disk may be promised in all: what is free and what the disks already take, less what machines may not take,
 * times the ratio.
 */
export function promisableMiB(room: HostRoom, settings: Settings): number {
  const { freeDiskMiB, machines, prepared } = room
  const usable = freeDiskMiB + machines.takenMiB + prepared.takenMiB - unavailableDiskMiB(settings)
  return Math.max(0, Math.floor(usable * settings.diskOvercommit))
}

/** Fails with the message if what machines were promised, and this much more, is more than there is. */
export async function requireRoom(settings: Settings, moreMiB: number, message: string): Promise<void> {
  const room = await hostRoom(settings)
  if (room.machines.promisedMiB + moreMiB > promisableMiB(room, settings))
    throw new MachineError('HOST_FULL', message)
}

/** How many further machines with a disk of this size the host has room for now. */
export function roomFor(room: HostRoom, settings: Settings, diskMiB: number): number {
  const byMemory = (room.availableMemoryMiB - settings.reserveMemoryMiB) / startingMemoryMiB
  const byFreeDisk =
    (room.freeDiskMiB + room.prepared.takenMiB - unavailableDiskMiB(settings)) / startingDiskMiB
  const byPromise = (promisableMiB(room, settings) - room.machines.promisedMiB) / diskMiB
  return Math.max(0, Math.floor(Math.min(byMemory, byFreeDisk, byPromise)))
}
