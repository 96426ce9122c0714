import { ahead, plus, wireTime } from './sequence.ts'

/** A segment that was sent and is not known to have come. */
export interface Flight {
  readonly sequence: number
  readonly data: Uint8Array
  sentAt: number
  overdueAt: number
  timeoutMs: number
  transmissions: number
  /** How often a later segment was acknowledged before this one. */
  overtaken: number
}

/** After so many, a segment waits for its timeout and is no longer resent because others overtook it. */
const maxFastResends = 5

export interface ResendPolicy {
  readonly noDelay: boolean
  /** Resend a segment when so many acknowledgements overtook it; 0 waits for the timeout. */
  readonly fastResend: number
  /** But no sooner than so long after it was sent: it may be late and not lost. */
  readonly lostMs: number
  readonly timeoutMs: number
  readonly maxTimeoutMs: number
}

export interface Sent {
  readonly sent: number
  readonly timedOut: number
  readonly resentFast: number
  /** When the next segment is overdue. */
  readonly nextAt: number
  /** The most often that one segment was sent. */
  readonly transmissions: number
}

/** The segments on their way, in order. */
export class SendWindow {
  readonly #flights = new Map<number, Flight>()
  #unacknowledged: number
  #next: number

  constructor(first = 0) {
    this.#unacknowledged = first
    this.#next = first
  }

  /** The sequence number that the next new segment gets. */
  get next(): number {
    return this.#next
  }

  /** From the first that has not come to the last that was sent: what counts against the windows. */
  get span(): number {
    return ahead(this.#next, this.#unacknowledged)
  }

  launch(data: Uint8Array): void {
    const flight = { sequence: this.#next, data, transmissions: 0, overtaken: 0 }
    this.#flights.set(this.#next, { ...flight, sentAt: 0, overdueAt: 0, timeoutMs: 0 })
    this.#next = plus(this.#next, 1)
  }

  /** All before this number have come. Gives how many that were not known to. */
  landedBefore(sequence: number): number {
    let landed = 0
    for (const flight of this.#flights.keys()) {
      if (ahead(sequence, flight) <= 0) break
      this.#flights.delete(flight)
      landed++
    }
    this.#advance()
    return landed
  }

  /** This one has come. False when that was known, or when it never was sent. */
  landed(sequence: number): boolean {
    const known = this.#flights.delete(sequence)
    if (known) this.#advance()
    return known
  }

  /** A segment that was sent at `timestamp` came before those with lower numbers that were sent no later. */
  overtake(sequence: number, timestamp: number): void {
    for (const flight of this.#flights.values()) {
      if (ahead(sequence, flight.sequence) <= 0) return
      if (ahead(timestamp, wireTime(flight.sentAt)) >= 0) flight.overtaken++
    }
  }

  /** Sends what is new, overdue or overtaken. */
  transmit(now: number, policy: ResendPolicy, send: (flight: Flight) => void): Sent {
    let sent = 0
    let timedOut = 0
    let resentFast = 0
    let transmissions = 0
    let nextAt = Number.POSITIVE_INFINITY
    for (const flight of this.#flights.values()) {
      const lostAt = isOvertaken(flight, policy) ? flight.sentAt + policy.lostMs : flight.overdueAt
      if (flight.transmissions === 0) {
        flight.timeoutMs = policy.timeoutMs
        // Without haste the first resend leaves some time for the acknowledgement to be late.
        this.#send(flight, now, policy.noDelay ? 0 : policy.timeoutMs / 8, send)
        sent++
      } else if (now >= flight.overdueAt) {
        const grown = flight.timeoutMs + (policy.noDelay ? flight.timeoutMs / 2 : flight.timeoutMs)
        flight.timeoutMs = Math.min(policy.maxTimeoutMs, grown)
        this.#send(flight, now, 0, send)
        timedOut++
      } else if (now >= lostAt) {
        this.#send(flight, now, 0, send)
        resentFast++
      } else nextAt = Math.min(nextAt, lostAt)
      nextAt = Math.min(nextAt, flight.overdueAt)
      transmissions = Math.max(transmissions, flight.transmissions)
    }
    return { sent: sent + timedOut + resentFast, timedOut, resentFast, nextAt, transmissions }
  }

  #send(flight: Flight, now: number, graceMs: number, send: (flight: Flight) => void): void {
    flight.transmissions++
    flight.overtaken = 0
    flight.sentAt = now
    flight.overdueAt = now + flight.timeoutMs + graceMs
    send(flight)
  }

  #advance(): void {
    const [first] = this.#flights.keys()
    this.#unacknowledged = first ?? this.#next
  }
}

const isOvertaken = (flight: Flight, { fastResend }: ResendPolicy): boolean =>
  fastResend > 0 && flight.overtaken >= fastResend && flight.transmissions <= maxFastResends
