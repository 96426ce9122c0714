import { boundOf } from './bounds.ts'
import { type Figures, unitOf } from './figures/figure.ts'
import { type Point, slopeOf } from './slope.ts'

export interface Sample {
  readonly atMs: number
  readonly figures: Figures
}

export type Verdict = 'flat' | 'bounded' | 'leaks' | 'unknown'

/** What became of one figure in the measured part of a run. */
export interface Judged {
  readonly name: string
  readonly first: number
  readonly last: number
  readonly largest: number
  /** Per hour, by the slope of Theil and Sen. */
  readonly perHour: number
  readonly verdict: Verdict
  readonly bound: string | undefined
}

const hourMs = 3_600_000
const MiB = 2 ** 20

/** The slopes of fewer samples say nothing. */
const enough = 12

/** Samples at the beginning and at the end whose median is shown. */
const shown = 5

/**
 * The growth in the measured part that noise can cause: allocators keep what was freed, and how many machines exist differs from
 * sample to sample. A slower leak is found by a longer run.
 */
function toleranceOf(name: string, typical: number): number {
  switch (unitOf(name)) {
    case 'bytes':
      return Math.max(24 * MiB, 0.1 * typical)
    case 'cores':
      return Number.POSITIVE_INFINITY
    case 'count':
      return Math.max(6, 0.1 * typical)
  }
}

/** Judges every figure by its samples. Those of the warm-up have to be left out. */
export function judge(samples: readonly Sample[]): Judged[] {
  const names = new Set(samples.flatMap(({ figures }) => [...figures.keys()]))
  return [...names].map(name => {
    // A table or a kind of process that did not exist at a moment was empty then.
    const points = samples.map(({ atMs, figures }) => ({ atMs, value: figures.get(name) ?? 0 }))
    return judgeOne(name, points)
  })
}

function judgeOne(name: string, points: readonly Point[]): Judged {
  const values = points.map(({ value }) => value)
  const durationMs = (points.at(-1)?.atMs ?? 0) - (points[0]?.atMs ?? 0)
  const { slope, low } = slopeOf(points)
  const bound = boundOf(name)
  // It grows if more of it is there than noise can explain, and if growth is certain.
  const isGrowing = slope * durationMs > toleranceOf(name, median(values)) && low > 0
  return {
    name,
    first: median(values.slice(0, shown)),
    last: median(values.slice(-shown)),
    largest: Math.max(...values),
    perHour: slope * hourMs,
    verdict:
      points.length < enough ? 'unknown' : isGrowing ? (bound === undefined ? 'leaks' : 'bounded') : 'flat',
    bound,
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}
