import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { ShellProcess } from '../shell-process.ts'

/** How much output is kept. The first error is the one that matters. */
const maxLength = 16 * 1024
const maxErrorLength = 200
/** How long a server that is ending may take to print the reason. */
const endTimeoutMs = 1000

/** The output of a server. It is always read to the end, because unread output would block the connection. */
export class ServerOutput {
  hasEnded = false
  readonly #ended: Promise<unknown>
  #text = ''

  constructor({ stdout, stderr }: ShellProcess) {
    stderr.resume()
    stdout.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString('latin1', 0, maxLength - this.#text.length)
    })
    this.#ended = once(stdout, 'end')
      .catch(() => {})
      .finally(() => {
        this.hasEnded = true
      })
  }

  /** Waits until the output has ended, up to a timeout. */
  async untilEnd(): Promise<void> {
    await Promise.race([this.#ended, pause(endTimeoutMs, undefined, { ref: false })])
  }

  /** The actual version of a server that refuses the version it was started with. */
  get otherVersion(): string | undefined {
    return /The server version \((\d[\w.-]{0,20})\) does not match the client/.exec(this.#text)?.[1]
  }

  /** The first error or, without one, the first line that is not merely informational. */
  get error(): string | undefined {
    const lines = this.#text.split('\n').map(line => line.replace(/[^\x20-\x7e]/g, '').trim())
    const line =
      lines.find(one => /error|exception/i.test(one)) ??
      lines.find(one => one !== '' && !/\b(INFO|DEBUG)\b/.test(one))
    return line && `it printed ${JSON.stringify(line.slice(0, maxErrorLength))}`
  }
}
