import type { Settings } from '../options.ts'

/** The ids 0 to 65535 of a machine are the ids `base` to `base + 65535` of the host. */
export interface UidRange {
  readonly base: number
  readonly size: number
}

const size = 65536
/** The slots below are where distributions allocate subordinate ids (100000 and up). */
const firstSlot = 16
/** Slots per engine; 63 engines fit into the 32 bits of a uid. */
const slotsPerEngine = 1024

/** Returns a separate range for each machine, and for each engine on a host as far as a hash separates them. */
export function uidRangeOf(settings: Pick<Settings, 'instance'>, index: number): UidRange {
  const engine = Number.parseInt(settings.instance, 16) % 63
  return { base: (firstSlot + engine * slotsPerEngine + (index % slotsPerEngine)) * size, size }
}

/** The range for all machines of a host without idmapped mounts. The files of the image are shifted into it once. */
export const sharedRange: UidRange = { base: (firstSlot - 1) * size, size }

/** The range of the files on volumes. No process has these ids: every machine sees the files with ids of its own. */
export const volumeRange: UidRange = { base: (firstSlot - 2) * size, size }
