import { formatBytes } from './byte-size.ts'

/** How often the line is written again. */
const intervalMs = 100

/** Shows on a terminal how far a copy is, in one line that is removed at the end. */
export class Progress {
  readonly #stream: NodeJS.WriteStream | undefined
  readonly #startMs = Date.now()
  #name = ''
  #done = 0
  #total: number | undefined
  #shownMs = 0

  /** @param stream where to show it; without one, nothing is shown */
  constructor(stream: NodeJS.WriteStream | undefined) {
    this.#stream = stream
  }

  /** What is being copied now, and how much it is altogether, if that is known. */
  begin(name: string, total?: number): void {
    this.#name = name
    this.#total = total
    this.#done = 0
  }

  /** What is being copied now is a part of it. */
  rename(name: string): void {
    this.#name = name
  }

  add(bytes: number): void {
    this.#done += bytes
    const now = Date.now()
    if (!this.#stream || now - this.#shownMs < intervalMs) return
    this.#shownMs = now
    const line = this.#lineAt(now)
    this.#stream.write(`\r\x1b[K${line.slice(0, (this.#stream.columns || 80) - 1)}`)
  }

  end(): void {
    if (this.#shownMs > 0) this.#stream?.write('\r\x1b[K')
    this.#shownMs = 0
  }

  #lineAt(now: number): string {
    const speed = this.#done / Math.max(0.001, (now - this.#startMs) / 1000)
    const rate = `${formatBytes(speed)}/s`
    if (!this.#total) return `${formatBytes(this.#done)}  ${rate}  ${this.#name}`
    const percent = Math.min(100, Math.floor((100 * this.#done) / this.#total))
    return `${String(percent).padStart(3)}%  ${formatBytes(this.#done)} of ${formatBytes(this.#total)}  ${rate}  ${this.#name}`
  }
}

/** Counts the bytes that pass. */
export async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  progress: Progress,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    progress.add(chunk.length)
    yield chunk
  }
}
