import { once } from 'node:events'
import type { ShellProcess } from '../shell-process.ts'

/** What is kept: the first that a program complains of is what stopped it. */
const most = 16 * 1024
const longestComplaint = 200

/** What a server printed, as far as it tells anything. The rest is taken too, or the connection would stand still. */
export class PrintedText {
  readonly ended: Promise<unknown>
  hasEnded = false
  #text = ''

  constructor({ stdout, stderr }: ShellProcess) {
    stderr.resume()
    stdout.on('data', (chunk: Buffer) => {
      if (this.#text.length < most) this.#text += chunk.toString('latin1')
    })
    this.ended = once(stdout, 'end').finally(() => {
      this.hasEnded = true
    })
    this.ended.catch(() => {})
  }

  /** The version that a server says it is of, where it refuses the one that it was started with. */
  get otherVersion(): string | undefined {
    return /The server version \((\d[\w.-]{0,20})\) does not match the client/.exec(this.#text)?.[1]
  }

  /** Its first error, or else its first line. */
  get complaint(): string | undefined {
    const lines = this.#text.split('\n').map(line => line.replace(/[^\x20-\x7e]/g, '').trim())
    const line = lines.find(one => /error|exception/i.test(one)) ?? lines.find(one => one !== '')
    return line && `it printed ${JSON.stringify(line.slice(0, longestComplaint))}`
  }
}
