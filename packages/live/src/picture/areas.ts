import { type Area, pixelsOf, type TileOp, union } from '@sandglass/wire/frames'

/** The area that a copy reads from. */
export function sourceOf({ area, from }: Extract<TileOp, { op: 'copy' }>): Area {
  return { ...area, ...from }
}

/** All areas that the tiles write to or read from. */
export function areasTouchedBy(tiles: readonly TileOp[]): Area[] {
  return tiles.flatMap(tile => (tile.op === 'copy' ? [tile.area, sourceOf(tile)] : [tile.area]))
}

/** Replaces many areas by their union if they nearly fill it, because each area costs a canvas call. */
export function joined(areas: readonly Area[]): readonly Area[] {
  if (areas.length < 2) return areas
  const whole = areas.reduce(union)
  const filled = areas.reduce((sum, area) => sum + pixelsOf(area), 0)
  return filled * 2 > pixelsOf(whole) ? [whole] : areas
}
