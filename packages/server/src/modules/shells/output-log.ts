import { EventEmitter } from 'node:events'

export type EntryKind = 'stdout' | 'stderr' | 'timeout' | 'waiting' | 'end'

/** A place in a log: how many entries, and how many bytes of output, come before it. */
export interface Position {
  readonly entries: number
  readonly bytes: number
}

export const beginning: Position = { entries: 0, bytes: 0 }

export interface Entry {
  readonly kind: EntryKind
  readonly bytes: Buffer
  /** Where the log goes on after this entry. */
  readonly after: Position
}

/** What a reader came to: an entry, and how many bytes before it are no longer kept. */
export interface Taken {
  readonly entry: Entry
  readonly droppedBytes: number
}

/** How much of a shell's output is kept. */
export const logLimit = 1024 * 1024
/** What an entry costs besides its bytes. */
const entryCost = 256
const costOf = ({ entries, bytes }: Position) => entries * entryCost + bytes

/** What a shell said, in order; of much output the newest part, so that a shell nobody reads costs little. */
export class OutputLog {
  readonly #events = new EventEmitter<{ appended: []; taken: [] }>().setMaxListeners(0)
  readonly #readers = new Set<LogReader>()
  readonly #entries: Entry[] = []
  #kept = 0
  #end = beginning
  /** A reader has gone. */
  onLeave: () => void = () => {}

  append(kind: EntryKind, bytes: Buffer = Buffer.alloc(0)): void {
    const after = { entries: this.#end.entries + 1, bytes: this.#end.bytes + bytes.length }
    // A copy, because a small piece would keep the whole buffer that it was read into.
    this.#entries.push({ kind, bytes: Buffer.from(bytes), after })
    this.#end = after
    this.#kept += bytes.length + entryCost
    while (this.#kept > logLimit) this.#kept -= (this.#entries.shift()?.bytes.length ?? 0) + entryCost
    this.#events.emit('appended')
  }

  /** The next entry from here that is still kept. */
  take(from: Position): Taken | undefined {
    const first = this.#end.entries - this.#entries.length
    const entry = this.#entries[Math.max(0, from.entries - first)]
    if (!entry) return undefined
    return { entry, droppedBytes: Math.max(0, entry.after.bytes - entry.bytes.length - from.bytes) }
  }

  /** A reader that the writer waits for, unless another is faster. */
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

  get readers(): number {
    return this.#readers.size
  }

  /** Settles true when something was appended, false when the time is over or the signal fires. */
  appended(ms: number, signal: AbortSignal): Promise<boolean> {
    return this.#event('appended', ms, signal)
  }

  /** Settles when the fastest reader is near, or there is none. */
  async waitForReaders(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#isNear()) await this.#event('taken', undefined, signal)
  }

  #isNear(): boolean {
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

/** One who reads a log at its own pace. */
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
