import { ahead, plus, wireTime } from './sequence.ts'

/** A segment that was sent and not acknowledged yet. */
export interface InFlight {
  readonly sequence: number
  readonly data: Uint8Array
  sentAt: number
  overdueAt: number
  timeoutMs: number
  transmissions: number
  /** How often a later segment was acknowledged before this one. */
  overtaken: number
}

/** After this many fast resends a segment waits for its timeout. */
const maxFastResends = 5

/** When to resend a segment. */
export interface ResendPolicy {
  readonly noDelay: boolean
  /** Resends a segment after this many acknowledgements of later ones; 0 waits for the timeout. */
  readonly fastResend: number
  /** The minimum age for a fast resend, because the segment may only be late. */
  readonly lostMs: number
  readonly timeoutMs: number
  readonly maxTimeoutMs: number
}

/** The result of a transmission round. */
export interface Sent {
  readonly sent: number
  readonly timedOut: number
  readonly resentFast: number
  /** When the next segment times out. */
  readonly nextAt: number
  /** The highest number of transmissions of any segment. */
  readonly transmissions: number
}

/** The segments in flight, in order. */
export class SendWindow {
  readonly #flights = new Map<number, InFlight>()
  #unacknowledged: number
  #next: number

  constructor(first = 0) {
    this.#unacknowledged = first
    this.#next = first
  }

  /** The sequence number of the next new segment. */
  get next(): number {
    return this.#next
  }

  /** From the first unacknowledged segment to the last one sent; this counts against the windows. */
  get span(): number {
    return ahead(this.#next, this.#unacknowledged)
  }

  add(data: Uint8Array): void {
    const flight = { sequence: this.#next, data, transmissions: 0, overtaken: 0 }
    this.#flights.set(this.#next, { ...flight, sentAt: 0, overdueAt: 0, timeoutMs: 0 })
    this.#next = plus(this.#next, 1)
  }

  /** Acknowledges all segments before a sequence number. Returns how many were not acknowledged before. */
  acknowledgedBefore(sequence: number): number {
    let count = 0
    for (const flight of this.#flights.keys()) {
      if (ahead(sequence, flight) <= 0) break
      this.#flights.delete(flight)
      count++
    }
    this.#advance()
    return count
  }

  /** Acknowledges one segment. Returns false if it was acknowledged before or never sent. */
  acknowledged(sequence: number): boolean {
    const known = this.#flights.delete(sequence)
    if (known) this.#advance()
    return known
  }

  /** Records that a segment sent at `timestamp` was received before earlier ones that were sent no later. */
  overtake(sequence: number, timestamp: number): void {
    for (const flight of this.#flights.values()) {
      if (ahead(sequence, flight.sequence) <= 0) return
      if (ahead(timestamp, wireTime(flight.sentAt)) >= 0) flight.overtaken++
    }
  }

  /** Sends segments that are new, timed out or overtaken. */
  transmit(now: number, policy: ResendPolicy, send: (flight: InFlight) => void): Sent {
    let sent = 0
    let timedOut = 0
    let resentFast = 0
    let transmissions = 0
    let nextAt = Number.POSITIVE_INFINITY
    for (const flight of this.#flights.values()) {
      const lostAt = isOvertaken(flight, policy) ? flight.sentAt + policy.lostMs : flight.overdueAt
      if (flight.transmissions === 0) {
        flight.timeoutMs = policy.timeoutMs
        // Unless in noDelay mode, allow some extra time for a late acknowledgement.
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

  #send(flight: InFlight, now: number, graceMs: number, send: (flight: InFlight) => void): void {
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

const isOvertaken = (flight: InFlight, { fastResend }: ResendPolicy): boolean =>
  fastResend > 0 && flight.overtaken >= fastResend && flight.transmissions <= maxFastResends
