import { type Area, pixelsOf, type TileOp, union } from '@sandglass/wire/frames'

export function sourceOf({ area, from }: Extract<TileOp, { op: 'copy' }>): Area {
  return { ...area, ...from }
}

/** Where tiles draw, and where they take it from. */
export function touchedBy(tiles: readonly TileOp[]): Area[] {
  return tiles.flatMap(tile => (tile.op === 'copy' ? [tile.area, sourceOf(tile)] : [tile.area]))
}

/** One area in place of many that nearly fill it: each costs a call. */
export function joined(areas: readonly Area[]): readonly Area[] {
  if (areas.length < 2) return areas
  const whole = areas.reduce(union)
  const filled = areas.reduce((sum, area) => sum + pixelsOf(area), 0)
  return filled * 2 > pixelsOf(whole) ? [whole] : areas
}
