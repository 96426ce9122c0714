import type { Area, TileOp } from '@sandglass/wire/frames'

export function overlap(a: Area, b: Area): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

export function covers(a: Area, b: Area): boolean {
  return a.x <= b.x && a.y <= b.y && a.x + a.width >= b.x + b.width && a.y + a.height >= b.y + b.height
}

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
  const left = Math.min(...areas.map(({ x }) => x))
  const top = Math.min(...areas.map(({ y }) => y))
  const width = Math.max(...areas.map(area => area.x + area.width)) - left
  const height = Math.max(...areas.map(area => area.y + area.height)) - top
  const filled = areas.reduce((sum, area) => sum + area.width * area.height, 0)
  return filled * 2 > width * height ? [{ x: left, y: top, width, height }] : areas
}
