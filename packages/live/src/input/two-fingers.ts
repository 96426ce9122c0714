export interface Point {
  readonly x: number
  readonly y: number
}

/** In CSS pixels: two fingers that both moved this far show what they are up to. */
const movedPixels = 8
/** One finger may rest while the other moves this far. */
const alonePixels = 48

/**
 * What two fingers do that came from `starts` and are at `now`: they move side by side, or away from or towards each
 * other. Undefined while it cannot be told yet.
 */
export function gestureOf(starts: readonly Point[], now: readonly Point[]): 'together' | 'pinch' | undefined {
  const [a, b] = now.map((point, index) => minus(point, starts[index] ?? point))
  if (!a || !b) return undefined
  const [far, near] = [Math.hypot(a.x, a.y), Math.hypot(b.x, b.y)].sort((one, other) => other - one)
  if ((near ?? 0) >= movedPixels) return a.x * b.x + a.y * b.y > 0 ? 'together' : 'pinch'
  return (far ?? 0) >= alonePixels ? 'pinch' : undefined
}

export function middleOf([a, b]: readonly Point[]): Point {
  return { x: ((a?.x ?? 0) + (b?.x ?? 0)) / 2, y: ((a?.y ?? 0) + (b?.y ?? 0)) / 2 }
}

/** At least one pixel, so that it can be divided by. */
export function distanceOf([a, b]: readonly Point[]): number {
  return Math.max(1, Math.hypot((a?.x ?? 0) - (b?.x ?? 0), (a?.y ?? 0) - (b?.y ?? 0)))
}

export function minus(a: Point, b: Point): Point {
  return { x: a.x - b.x, y: a.y - b.y }
}
