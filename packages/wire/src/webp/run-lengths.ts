/**
 * The number of symbols that encode code lengths (RFC 9649, "Normal Code Length Code"): lengths up to 15, then
 * repetitions.
 */
export const lengthSymbols = 19
/** Repeats the last non-zero length 3 to 6 times. */
const repeatLast = 16
/** Repeats zero 3 to 10 times. */
const fewZeroes = 17
/** Repeats zero 11 to 138 times. */
const manyZeroes = 18

/** A symbol and its extra bits. */
export interface Step {
  readonly symbol: number
  readonly extra: number
  readonly extraBits: number
}

/** Run-length encodes the lengths of a code. */
export function runLengths(lengths: Uint8Array): Step[] {
  const steps: Step[] = []
  let last = 8
  let at = 0
  while (at < lengths.length) {
    const length = lengths[at] ?? 0
    const step = stepFor(length, runAt(lengths, at), last)
    steps.push(step.step)
    at += step.consumed
    if (length > 0) last = length
  }
  return steps
}

function stepFor(length: number, run: number, last: number): { step: Step; consumed: number } {
  if (length === 0 && run >= 11) return repeated(manyZeroes, Math.min(run, 138), 11, 7)
  if (length === 0 && run >= 3) return repeated(fewZeroes, run, 3, 3)
  if (length === last && run >= 3) return repeated(repeatLast, Math.min(run, 6), 3, 2)
  return { step: { symbol: length, extra: 0, extraBits: 0 }, consumed: 1 }
}

function repeated(symbol: number, consumed: number, least: number, extraBits: number) {
  return { step: { symbol, extra: consumed - least, extraBits }, consumed }
}

/** How often the length at `at` is repeated in a row. */
function runAt(lengths: Uint8Array, at: number): number {
  let end = at + 1
  while (end < lengths.length && lengths[end] === lengths[at]) end++
  return end - at
}
