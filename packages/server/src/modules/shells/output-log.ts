import { EventEmitter } from 'node:events'

export type EntryKind = 'stdout' | 'stderr' | 'timeout' | 'waiting' | 'end'

/** A position in a log: the number of entries and of output bytes before it. */
export interface Position {
  readonly entries: number
  readonly bytes: number
}

export const beginning: Position = { entries: 0, bytes: 0 }

export interface Entry {
  readonly kind: EntryKind
  readonly bytes: Buffer
  /** The position after this entry. */
  readonly after: Position
}

/** An entry, and how many bytes before it were dropped and never read. */
export interface Taken {
  readonly entry: Entry
  readonly droppedBytes: number
}

/** The limit for the output that is kept per shell. */
export const logLimit = 1024 * 1024
/** The memory that an entry takes in addition to its bytes. */
const entryCost = 256
const costOf = ({ entries, bytes }: Position) => entries * entryCost + bytes

/**
 * Keeps the output of a shell in order. It drops the oldest part above a limit, so that a shell without readers uses
 * little memory.
 */
export class OutputLog {
  readonly #events = new EventEmitter<{ appended: []; taken: [] }>().setMaxListeners(0)
  readonly #readers = new Set<LogReader>()
  readonly #entries: Entry[] = []
  #kept = 0
  #end = beginning
  /** Called when a reader has closed. */
  onLeave: () => void = () => {}

  append(kind: EntryKind, bytes: Buffer = Buffer.alloc(0)): void {
    const after = { entries: this.#end.entries + 1, bytes: this.#end.bytes + bytes.length }
    // Copy the bytes, because a small slice would keep the whole buffer that it was read into.
    this.#entries.push({ kind, bytes: Buffer.from(bytes), after })
    this.#end = after
    this.#kept += bytes.length + entryCost
    while (this.#kept > logLimit) this.#kept -= (this.#entries.shift()?.bytes.length ?? 0) + entryCost
    this.#events.emit('appended')
  }

  /** Returns the first entry after a position that is still kept. */
  take(from: Position): Taken | undefined {
    const first = this.#end.entries - this.#entries.length
    const entry = this.#entries[Math.max(0, from.entries - first)]
    if (!entry) return undefined
    return { entry, droppedBytes: Math.max(0, entry.after.bytes - entry.bytes.length - from.bytes) }
  }

  /** Opens a reader. The writer waits for the fastest of all readers. */
  reader(from: Position): LogReader {
    const reader = new LogReader(this, from, () => this.#events.emit('taken'))
    this.#readers.add(reader)
    return reader
  }

  forget(reader: LogReader): void {
    if (!this.#readers.delete(reader)) return
    this.#events.emit('taken')
    this.onLeave()
  }

  /** The position after the last entry. */
  get end(): Position {
    return this.#end
  }

  get readers(): number {
    return this.#readers.size
  }

  /** Resolves to true when something was appended, and to false on timeout or abort. */
  appended(ms: number, signal: AbortSignal): Promise<boolean> {
    return this.#event('appended', ms, signal)
  }

  /** Resolves when the fastest reader has nearly caught up, or when there is no reader. */
  async waitForReaders(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#isCaughtUp()) await this.#event('taken', undefined, signal)
  }

  #isCaughtUp(): boolean {
    if (this.#readers.size === 0) return true
    const ahead = Math.max(...[...this.#readers].map(({ position }) => costOf(position)))
    return costOf(this.#end) - ahead <= logLimit / 2
  }

  #event(name: 'appended' | 'taken', ms: number | undefined, signal: AbortSignal): Promise<boolean> {
    return new Promise(resolve => {
      const settle = (happened: boolean) => {
        clearTimeout(timer)
        this.#events.off(name, happens)
        signal.removeEventListener('abort', stops)
        resolve(happened)
      }
      const happens = () => settle(true)
      const stops = () => settle(false)
      const timer = ms === undefined ? undefined : setTimeout(stops, ms)
      this.#events.once(name, happens)
      signal.addEventListener('abort', stops, { once: true })
      if (signal.aborted) stops()
    })
  }
}

/** Reads a log at its own pace. */
export class LogReader {
  readonly #log: OutputLog
  readonly #onTake: () => void
  position: Position

  constructor(log: OutputLog, from: Position, onTake: () => void) {
    this.#log = log
    this.position = from
    this.#onTake = onTake
  }

  take(): Taken | undefined {
    const taken = this.#log.take(this.position)
    if (taken) {
      this.position = taken.entry.after
      this.#onTake()
    }
    return taken
  }

  close(): void {
    this.#log.forget(this)
  }
}
