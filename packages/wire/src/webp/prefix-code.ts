import type { BitWriter } from './bit-writer.ts'
import { codesOf, maxCodeLength } from './canonical.ts'
import { codeLengths } from './huffman.ts'
import { lengthSymbols, runLengths } from './run-lengths.ts'

/** The order in which the lengths of the code length code are written (RFC 9649, "Normal Code Length Code"). */
const lengthOrder = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
/** Each of them is written in three bits. */
const maxLengthCodeLength = 7

/** A prefix code for symbols with the given counts. */
export class PrefixCode {
  readonly codes: Uint16Array
  /** The bits written per symbol. A single symbol takes none, because it carries no information. */
  readonly widths: Uint8Array
  /** The symbols with a count above 0. */
  readonly used: readonly number[]
  readonly #lengths: Uint8Array

  constructor(counts: Uint32Array, maxLength = maxCodeLength) {
    this.#lengths = codeLengths(counts, maxLength)
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

  /** Writes a symbol and extra bits, fewer than 32 in total. */
  writeWith(bits: BitWriter, symbol: number, extra: number, count: number): void {
    const width = this.widths[symbol] ?? 0
    bits.write((this.codes[symbol] ?? 0) | (extra << width), width + count)
  }

  /** Writes the code itself, which must precede its symbols. */
  writeHeader(bits: BitWriter): void {
    if (this.used.length <= 2 && (this.used.at(-1) ?? 0) < 256) writeSimpleCode(bits, this.used)
    else writeNormalCode(bits, this.#lengths)
  }
}

/** A simple code of one or two symbols. An empty code also names one, which is never written. */
function writeSimpleCode(bits: BitWriter, [first = 0, second]: readonly number[]): void {
  bits.write(1, 1)
  bits.write(second === undefined ? 0 : 1, 1)
  bits.write(first > 1 ? 1 : 0, 1)
  bits.write(first, first > 1 ? 8 : 1)
  if (second !== undefined) bits.write(second, 8)
}

function writeNormalCode(bits: BitWriter, lengths: Uint8Array): void {
  const steps = runLengths(lengths)
  const counts = new Uint32Array(lengthSymbols)
  for (const { symbol } of steps) counts[symbol] = (counts[symbol] ?? 0) + 1
  const code = new PrefixCode(counts, maxLengthCodeLength)
  const lengthCount = Math.max(4, lengthOrder.findLastIndex(symbol => counts[symbol]) + 1)
  bits.write(0, 1)
  bits.write(lengthCount - 4, 4)
  for (const symbol of lengthOrder.slice(0, lengthCount)) bits.write(code.length(symbol), 3)
  // The lengths of all symbols follow.
  bits.write(0, 1)
  for (const { symbol, extra, extraBits } of steps) {
    code.write(bits, symbol)
    bits.write(extra, extraBits)
  }
}
