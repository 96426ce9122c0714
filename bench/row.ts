/** One result: ours and the rival's, measured in the same run on the same machine. */
export interface Row {
  readonly name: string
  readonly ours: number
  readonly rival: number | null
  readonly ratio: number | null
  readonly unit: string
}

export function row(name: string, unit: string, ours: number, rival: number | null = null): Row {
  return {
    name,
    ours: rounded(ours),
    rival: rival && rounded(rival),
    ratio: rival && rounded(ours / rival),
    unit,
  }
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export const p95 = (values: readonly number[]) => percentile(values, 0.95)
export const p99 = (values: readonly number[]) => percentile(values, 0.99)

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

function rounded(value: number): number {
  return Number(value.toPrecision(4))
}
