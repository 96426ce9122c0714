import { z } from 'zod'
import { pictureFormats } from '../contract/picture-format.ts'

/** The file of raw frames is divided into slots of this size. Each has one strip of a frame, or a part of a pointer's image. */
export const slotBytes = 128 * 1024

/** 128 MiB, of which the file has only what was written. A full one makes pictures be encoded at once. */
export const maxSlots = 1024

/** The most that a file takes. */
export const maxRawFileBytes = maxSlots * slotBytes

/** A JPEG consists of blocks with this many rows. Strips end where blocks do. */
const blockRows = 8

const maxSide = 16_384
const maxPlaces = 4096

/**
 * Where some pixels are: the slot, and how often it was written before, as one number. No two contents of a file have the
 * same one, so it also serves as a key for what was computed from them.
 */
const Place = z.int().nonnegative()
export type Place = z.infer<typeof Place>

const Side = z.int().positive().max(maxSide)

/** A frame that waits in a file to be encoded, and how. */
export const RawFrame = z.object({
  width: Side,
  height: Side,
  /** The strips from the top. Frames share those that did not change between them. */
  strips: z.array(Place).max(maxPlaces),
  /** Set if a pointer is to be drawn. */
  pointer: z
    .object({
      x: z.number(),
      y: z.number(),
      width: Side,
      height: Side,
      hotspot: z.object({ x: z.number(), y: z.number() }),
      image: z.array(Place).max(maxPlaces),
    })
    .exactOptional(),
  format: z.enum(pictureFormats),
  longestSide: z.number().exactOptional(),
})
export type RawFrame = z.infer<typeof RawFrame>

/** How many rows a strip has. Undefined if the frame is too wide for strips. */
export function stripRows(width: number): number | undefined {
  const rows = Math.floor(slotBytes / (width * 4) / blockRows) * blockRows
  return rows > 0 ? rows : undefined
}

/** Every place that the frame needs. */
export function placesOf({ strips, pointer }: RawFrame): readonly Place[] {
  return pointer ? [...strips, ...pointer.image] : strips
}

export function offsetOf(place: Place): number {
  return (place % maxSlots) * slotBytes
}
