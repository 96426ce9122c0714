import type { BitWriter } from './bit-writer.ts'
import { codesOf, longestCode } from './canonical.ts'
import { codeLengths } from './huffman.ts'
import { lengthSymbols, runLengths } from './run-lengths.ts'

/** The order in which the lengths of the code for lengths are told (RFC 9649, "Normal Code Length Code"). */
const lengthOrder = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
/** They are told in three bits. */
const longestLengthCode = 7

/** A prefix code for symbols that occur this often. */
export class PrefixCode {
  readonly codes: Uint16Array
  /** How many bits are written for a symbol. One that is alone takes none, since it says nothing. */
  readonly widths: Uint8Array
  /** The symbols that occur. */
  readonly used: readonly number[]
  readonly #lengths: Uint8Array

  constructor(counts: Uint32Array, longest = longestCode) {
    this.#lengths = codeLengths(counts, longest)
    this.codes = codesOf(this.#lengths)
    const used: number[] = []
    for (let symbol = 0; symbol < counts.length; symbol++) if (counts[symbol]) used.push(symbol)
    this.used = used
    this.widths = used.length === 1 ? new Uint8Array(counts.length) : this.#lengths
  }

  length(symbol: number): number {
    return this.#lengths[symbol] ?? 0
  }

  write(bits: BitWriter, symbol: number): void {
    bits.write(this.codes[symbol] ?? 0, this.widths[symbol] ?? 0)
  }

  /** A symbol and some bits behind it, fewer than 32 together. */
  writeWith(bits: BitWriter, symbol: number, behind: number, count: number): void {
    const width = this.widths[symbol] ?? 0
    bits.write((this.codes[symbol] ?? 0) | (behind << width), width + count)
  }

  /** Tells the code, before any of its symbols. */
  announce(bits: BitWriter): void {
    if (this.used.length <= 2 && (this.used.at(-1) ?? 0) < 256) announceByName(bits, this.used)
    else announceByLengths(bits, this.#lengths)
  }
}

/** One or two symbols. A code for nothing names one too, which is never written. */
function announceByName(bits: BitWriter, [first = 0, second]: readonly number[]): void {
  bits.write(1, 1)
  bits.write(second === undefined ? 0 : 1, 1)
  bits.write(first > 1 ? 1 : 0, 1)
  bits.write(first, first > 1 ? 8 : 1)
  if (second !== undefined) bits.write(second, 8)
}

function announceByLengths(bits: BitWriter, lengths: Uint8Array): void {
  const steps = runLengths(lengths)
  const counts = new Uint32Array(lengthSymbols)
  for (const { symbol } of steps) counts[symbol] = (counts[symbol] ?? 0) + 1
  const code = new PrefixCode(counts, longestLengthCode)
  const told = Math.max(4, lengthOrder.findLastIndex(symbol => counts[symbol]) + 1)
  bits.write(0, 1)
  bits.write(told - 4, 4)
  for (const symbol of lengthOrder.slice(0, told)) bits.write(code.length(symbol), 3)
  // Every symbol of the alphabet has its length told.
  bits.write(0, 1)
  for (const { symbol, extra, extraBits } of steps) {
    code.write(bits, symbol)
    bits.write(extra, extraBits)
  }
}
