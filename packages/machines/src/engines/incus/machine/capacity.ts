import type { Capacity } from '../../../contract/engine.ts'
import { startingDiskMiB, startingMemoryMiB } from '../../local/host/host-room.ts'
import type { KnownMember } from '../members.ts'

/** What stays free on each member: for the member itself, and for what its machines take later. */
const reservedMemoryMiB = 512

/** How many machines have enough memory to start on a member. Their limits are more, and rarely used by all at once. */
const byMemory = ({ freeMemoryMiB }: KnownMember) =>
  freeMemoryMiB === undefined ? 1 : Math.floor((freeMemoryMiB - reservedMemoryMiB) / startingMemoryMiB)

const byDisk = ({ freeDiskMiB }: KnownMember, diskMiB: number) =>
  freeDiskMiB === undefined ? 1 : Math.floor(freeDiskMiB / diskMiB)

/** How many machines with a disk of this size fit on a member. One whose room is not known yet takes at least one. */
export const fitsOn = (member: KnownMember, diskMiB: number): number =>
  Math.max(0, Math.min(byMemory(member), byDisk(member, diskMiB)))

/** Whether not even the smallest machine fits on a member. */
export const isFull = (member: KnownMember): boolean => fitsOn(member, startingDiskMiB) === 0

/** The members that get new machines: those of the group, if there is one. */
export const takers = (members: readonly KnownMember[], group: string | undefined): KnownMember[] =>
  members.filter(
    ({ status, groups }) => status === 'online' && (group === undefined || groups.includes(group)),
  )

/** How many more machines with a disk of this size fit on members that get new ones. */
export function capacityOf(online: readonly KnownMember[], diskMiB: number): Capacity {
  const fits = online.reduce((sum, member) => sum + fitsOn(member, diskMiB), 0)
  return fits > 0 ? { fits } : { fits, reason: shortageOf(online) }
}

/** Why no machine fits, as a sentence for a person. */
export function shortageOf(online: readonly KnownMember[]): string {
  if (online.length === 0) return 'No member of the cluster is online.'
  const isShortOfMemory = online.every(member => byMemory(member) <= 0)
  return isShortOfMemory
    ? `All members of the cluster are short of memory: none has more than ${reservedMemoryMiB} MiB to spare. Delete sandboxes, or add a member.`
    : 'No member of the cluster has room for another machine: their storage pools are full, or they are short of memory. Delete sandboxes or snapshots, or add a member.'
}
