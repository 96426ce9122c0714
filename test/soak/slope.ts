/** A value at a moment, in milliseconds. */
export interface Point {
  readonly atMs: number
  readonly value: number
}

/** How a value changes with time, per millisecond, and between which two slopes it is with 95% confidence. */
export interface Slope {
  readonly slope: number
  readonly low: number
  readonly high: number
}

/** The quantile of the normal distribution for 95%. */
const z95 = 1.96

/**
 * The median of the slopes between all pairs of points (Theil and Sen). Single outliers do not move it, such as a sample in the middle
 * of a garbage collection. The interval is that of Sen, which assumes no distribution.
 */
export function slopeOf(points: readonly Point[]): Slope {
  const slopes: number[] = []
  for (const [at, first] of points.entries())
    for (const second of points.slice(at + 1))
      if (second.atMs !== first.atMs) slopes.push((second.value - first.value) / (second.atMs - first.atMs))
  if (slopes.length === 0) return { slope: 0, low: 0, high: 0 }
  slopes.sort((a, b) => a - b)
  const n = points.length
  const spread = z95 * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18)
  const at = (index: number) => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(index)))] ?? 0
  return {
    slope: medianOf(slopes),
    low: at((slopes.length - spread) / 2),
    high: at((slopes.length + spread) / 2),
  }
}

/** The median of a sorted list. */
function medianOf(sorted: readonly number[]): number {
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}
