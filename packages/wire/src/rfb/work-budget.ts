import { Allowance } from '../limits/allowance.ts'
import { RfbError } from './rfb-error.ts'

/** How much work a server may cause per second. */
export interface WorkRates {
  readonly bytes: number
  /** Messages and rectangles. */
  readonly messages: number
  /** Pixels that are copied, filled or allocated. */
  readonly pixels: number
  readonly resizes: number
}

/**
 * What a desktop of this many pixels needs at most. TigerVNC sends 60 pictures per second, each of which may scroll the
 * whole screen and draw all of it again, and splits a picture of flat squares into about 1100 rectangles.
 */
export function workRatesFor(maxPixels: number): WorkRates {
  return { bytes: 4 * 90 * maxPixels, messages: 100_000, pixels: 150 * maxPixels, resizes: 10 }
}

const unlimited: WorkRates = { bytes: Infinity, messages: Infinity, pixels: Infinity, resizes: Infinity }

/** A message takes about as long as copying this many pixels. */
const pixelsPerMessage = 2000

/** A cursor is unpacked and compressed again for the viewers, which takes this many times as long as a copy. */
const pixelsPerCursorPixel = 64

/** Inflating a byte takes about as long as copying this many pixels. */
const pixelsPerInflatedByte = 8

/**
 * The work that a server may cause. Keep one budget per screen, not per connection, so that a server gains nothing by
 * connecting again. Exceeding it throws an RfbError with the code LIMIT.
 *
 * Work is also divided into turns of about `pixelsPerTurn`, after which the client stops until it is told to go on, so
 * that others who share the thread are not blocked even by what is allowed.
 */
export class WorkBudget {
  readonly #bytes: Allowance
  readonly #messages: Allowance
  readonly #pixels: Allowance
  readonly #resizes: Allowance
  readonly #pixelsPerTurn: number
  #leftInTurn: number

  constructor(rates: WorkRates = unlimited, pixelsPerTurn = Infinity, now?: () => number) {
    this.#bytes = new Allowance(rates.bytes, now)
    this.#messages = new Allowance(rates.messages, now)
    this.#pixels = new Allowance(rates.pixels, now)
    this.#resizes = new Allowance(rates.resizes, now)
    this.#pixelsPerTurn = pixelsPerTurn
    this.#leftInTurn = pixelsPerTurn
  }

  beginTurn(): void {
    this.#leftInTurn = this.#pixelsPerTurn
  }

  get isTurnOver(): boolean {
    return this.#leftInTurn <= 0
  }

  /** Bytes that were received, or are sent because the server asked for them. */
  bytes(count: number): void {
    if (!this.#bytes.take(count)) throw exceeded(`${this.#bytes.perSecond} bytes`)
  }

  message(): void {
    this.#leftInTurn -= pixelsPerMessage
    if (!this.#messages.take(1)) throw exceeded(`${this.#messages.perSecond} messages and rectangles`)
  }

  pixels(count: number): void {
    this.#leftInTurn -= count
    if (!this.#pixels.take(count)) throw exceeded(`${this.#pixels.perSecond} pixels`)
  }

  cursor(pixels: number): void {
    this.pixels(pixelsPerCursorPixel * pixels)
  }

  inflated(bytes: number): void {
    this.pixels(pixelsPerInflatedByte * bytes)
  }

  /** A framebuffer of a new size is allocated, and what the old one has is copied. */
  resize(pixels: number): void {
    if (!this.#resizes.take(1)) throw exceeded(`${this.#resizes.perSecond} changes of its size`)
    this.pixels(2 * pixels)
  }
}

function exceeded(what: string): RfbError {
  return new RfbError('LIMIT', `the server caused more work than ${what} per second`)
}
