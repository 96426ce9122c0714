import type { BuildEvent } from '@sandglass/protocol'

/** A line of the log of a build in the background. */
export interface LoggedLine {
  readonly at: Date
  readonly text: string
  readonly isError: boolean
  /** The step that printed it. */
  readonly step?: number
}

/** A program can print millions of short lines, and each of them takes memory. */
export const maxLines = 20_000
const keptMs = 15 * 60_000
const maxLogs = 50

/** The log of a build that nobody has to read while it runs. */
export class KeptLog {
  readonly #lines: LoggedLine[] = []
  #partial: { text: string; isError: boolean; step: number } | undefined
  #changed = Promise.withResolvers<void>()
  #isOver = false

  get isOver(): boolean {
    return this.#isOver
  }

  /** Settles when a line is added, or the build is over. */
  get changed(): Promise<void> {
    return this.#changed.promise
  }

  from(offset: number, count: number): readonly LoggedLine[] {
    return this.#lines.slice(offset, offset + count)
  }

  async follow(events: AsyncIterable<BuildEvent>): Promise<void> {
    for await (const event of events) this.#add(event)
    this.#endLine()
    this.#isOver = true
    this.#changed.resolve()
  }

  #add(event: BuildEvent): void {
    if (event.event === 'step') {
      this.#endLine()
      if (event.cached) this.#push('The result of an earlier build is used.', false, event.step)
    } else if (event.event === 'output') this.#print(event.text, event.stream === 'stderr', event.step)
    else if (event.event === 'failed') {
      this.#endLine()
      this.#push(event.reason, true, event.step)
    }
  }

  #print(text: string, isError: boolean, step: number): void {
    if (this.#partial && (this.#partial.isError !== isError || this.#partial.step !== step)) this.#endLine()
    const [first = '', ...rest] = text.split('\n')
    this.#partial = { text: (this.#partial?.text ?? '') + first, isError, step }
    for (const line of rest) {
      this.#endLine()
      this.#partial = { text: line, isError, step }
    }
  }

  #endLine(): void {
    const partial = this.#partial
    this.#partial = undefined
    if (partial && partial.text !== '') this.#push(partial.text, partial.isError, partial.step)
  }

  #push(text: string, isError: boolean, step: number | undefined): void {
    if (this.#lines.length >= maxLines) return
    const isLast = this.#lines.length === maxLines - 1
    const shown = isLast ? 'The log is full. The rest is left out.' : text
    this.#lines.push({ at: new Date(), text: shown, isError, ...(step !== undefined && { step }) })
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}

/** The logs of the builds in the background of this process, for a while after their end too. */
export class KeptLogs {
  readonly #logs = new Map<string, KeptLog>()

  /** The images whose builds are not over. */
  get unfinished(): readonly string[] {
    return [...this.#logs].filter(([, log]) => !log.isOver).map(([id]) => id)
  }

  /** Keeps what a build reports from now on. */
  keep(imageId: string, events: AsyncIterable<BuildEvent>): void {
    const log = new KeptLog()
    this.#logs.set(imageId, log)
    log.follow(events).then(() => {
      this.#dropOldest()
      setTimeout(() => this.#logs.delete(imageId), keptMs).unref()
    })
  }

  find(imageId: string): KeptLog | undefined {
    return this.#logs.get(imageId)
  }

  #dropOldest(): void {
    for (const [id, log] of this.#logs) {
      if (this.#logs.size <= maxLogs) return
      if (log.isOver) this.#logs.delete(id)
    }
  }
}
