/** What tells the lengths of a code (RFC 9649, "Normal Code Length Code"): lengths up to 15 as they are, then repetitions. */
export const lengthSymbols = 19
/** The last length that was not 0, 3 to 6 times again. */
const again = 16
/** Zeroes, 3 to 10 times. */
const fewZeroes = 17
/** Zeroes, 11 to 138 times. */
const manyZeroes = 18

/** A symbol, and the bits that follow it. */
export interface Step {
  readonly symbol: number
  readonly extra: number
  readonly extraBits: number
}

/** The lengths of a code, told shortly. */
export function runLengths(lengths: Uint8Array): Step[] {
  const steps: Step[] = []
  let last = 8
  let at = 0
  while (at < lengths.length) {
    const length = lengths[at] ?? 0
    const step = stepFor(length, runAt(lengths, at), last)
    steps.push(step.told)
    at += step.taken
    if (length > 0) last = length
  }
  return steps
}

function stepFor(length: number, run: number, last: number): { told: Step; taken: number } {
  if (length === 0 && run >= 11) return repeated(manyZeroes, Math.min(run, 138), 11, 7)
  if (length === 0 && run >= 3) return repeated(fewZeroes, run, 3, 3)
  if (length === last && run >= 3) return repeated(again, Math.min(run, 6), 3, 2)
  return { told: { symbol: length, extra: 0, extraBits: 0 }, taken: 1 }
}

function repeated(symbol: number, taken: number, least: number, extraBits: number) {
  return { told: { symbol, extra: taken - least, extraBits }, taken }
}

/** How often the length that is there is there in a row. */
function runAt(lengths: Uint8Array, at: number): number {
  let end = at + 1
  while (end < lengths.length && lengths[end] === lengths[at]) end++
  return end - at
}
