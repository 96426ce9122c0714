import type { Settings } from '../options.ts'

/** A machine's ids 0…65535 are the host's `base`…`base + 65535`. */
export interface UidRange {
  readonly base: number
  readonly size: number
}

const size = 65536
/** Ranges below are where distributions put users' subordinate ids (100000 and up). */
const firstSlot = 16
/** Slots an engine; 63 engines fit in the 32 bits of a uid. */
const slotsEachEngine = 1024

/** A range of its own for each machine, and for each engine of a host as far as a hash keeps them apart. */
export function uidRangeOf(settings: Pick<Settings, 'instance'>, index: number): UidRange {
  const engine = Number.parseInt(settings.instance, 16) % 63
  return { base: (firstSlot + engine * slotsEachEngine + (index % slotsEachEngine)) * size, size }
}

/** For all machines of a host that cannot map owners: the image's files are shifted to it once. */
export const sharedRange: UidRange = { base: (firstSlot - 1) * size, size }
