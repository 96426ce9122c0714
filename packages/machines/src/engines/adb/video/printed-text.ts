import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { ShellProcess } from '../shell-process.ts'

/** What is kept: the first that a program complains of is what stopped it. */
const most = 16 * 1024
const longestComplaint = 200
/** How long one that is about to end may take to say why. */
const lastWordsMs = 1000

/** What a server printed, as far as it tells anything. The rest is taken too, or the connection would stand still. */
export class PrintedText {
  hasEnded = false
  readonly #ended: Promise<unknown>
  #text = ''

  constructor({ stdout, stderr }: ShellProcess) {
    stderr.resume()
    stdout.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString('latin1', 0, most - this.#text.length)
    })
    this.#ended = once(stdout, 'end')
      .catch(() => {})
      .finally(() => {
        this.hasEnded = true
      })
  }

  /** No longer than is sensible. */
  async untilEnd(): Promise<void> {
    await Promise.race([this.#ended, pause(lastWordsMs, undefined, { ref: false })])
  }

  /** The version that a server says it is of, where it refuses the one that it was started with. */
  get otherVersion(): string | undefined {
    return /The server version \((\d[\w.-]{0,20})\) does not match the client/.exec(this.#text)?.[1]
  }

  /** Its first error, or else the first line that does not merely inform. */
  get complaint(): string | undefined {
    const lines = this.#text.split('\n').map(line => line.replace(/[^\x20-\x7e]/g, '').trim())
    const line =
      lines.find(one => /error|exception/i.test(one)) ??
      lines.find(one => one !== '' && !/\b(INFO|DEBUG)\b/.test(one))
    return line && `it printed ${JSON.stringify(line.slice(0, longestComplaint))}`
  }
}
