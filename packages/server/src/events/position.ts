import { EventId } from '@sandglass/protocol'

/** The place of an event in the log. Both numbers are 64 bits wide, so they are texts, as the database sends them. */
export interface EventPosition {
  readonly position: string
  readonly number: string
}

/** Fixed widths make ids sort like positions. They last for 2^48 transactions and events. */
const digits = 12

/** The id that comes before those of all events. */
export const logStart = `evt_${'0'.repeat(2 * digits)}`

/** Returns the id of the event at a position. Whether one event comes after another is seen by comparing their ids. */
export function eventIdOf({ position, number }: EventPosition): string {
  return `evt_${hex(position)}${hex(number)}`
}

/** Returns the id that comes after those of all events with a position below this one, and before all others. */
export function endBelow(position: string): string {
  return `evt_${hex(BigInt(position) - 1n)}${'f'.repeat(digits)}`
}

/** Returns the position that an id contains, or undefined if it is no id of an event. */
export function positionIn(id: string): EventPosition | undefined {
  if (!EventId.safeParse(id).success) return undefined
  const hexes = id.slice('evt_'.length)
  return { position: decimal(hexes.slice(0, digits)), number: decimal(hexes.slice(digits)) }
}

/** Returns the position in an id that was checked before. */
export function knownPosition(id: string): EventPosition {
  const position = positionIn(id)
  if (!position) throw new Error(`${id} is no id of an event`)
  return position
}

function hex(number: string | bigint): string {
  return BigInt(number).toString(16).padStart(digits, '0')
}

function decimal(hexText: string): string {
  return BigInt(`0x${hexText}`).toString()
}
