import { randomBytes } from 'node:crypto'
import type { AdbSocket } from '@yume-chan/adb'
import type { ReadableStreamDefaultReader, WritableStreamDefaultWriter } from '@yume-chan/stream-extra'
import { MachineError } from '../contract/errors.ts'
import type { AdbLink } from './adb-link.ts'
import { Patience } from './patience.ts'

export interface CommandResult {
  readonly code: number
  /** What it printed, stdout and stderr in the order in which it came. */
  readonly output: string
}

/** No command that is asked here prints more. */
const maxOutput = 4 * 1024 * 1024

/** A shell on the device that stays: a command costs it one process, and no connection. Commands run one after another. */
export class DeviceShell {
  /** Settles when there is no shell any more; the device is connected to anew then. */
  readonly ended: Promise<unknown>
  readonly #patience: Patience
  readonly #socket: AdbSocket
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  /** Printed before each command, and after it with its exit code; prompts are outside. No program of the device knows it. */
  readonly #mark = randomBytes(12).toString('hex')
  #last: Promise<unknown> = Promise.resolve()
  #held = ''

  private constructor(link: AdbLink, socket: AdbSocket) {
    this.#patience = new Patience(link)
    this.#socket = socket
    this.ended = socket.closed
    this.#writer = socket.writable.getWriter()
    this.#reader = socket.readable.getReader()
  }

  static async open(link: AdbLink): Promise<DeviceShell> {
    return new DeviceShell(link, await link.connect('exec:sh'))
  }

  run(command: string): Promise<CommandResult> {
    const result = this.#last.then(() => this.#patience.answer(this.#run(command)))
    this.#last = result.catch(() => {})
    return result
  }

  close(): void {
    void this.#socket.close()
  }

  async #run(command: string): Promise<CommandResult> {
    const [before, after] = [`<${this.#mark}`, `${this.#mark}>`]
    const line = `printf '<%s' ${this.#mark}; { ${command}\n} </dev/null 2>&1; printf '%s>%d;' ${this.#mark} $?\n`
    await this.#writer.write(new TextEncoder().encode(line))
    const decoder = new TextDecoder()
    for (;;) {
      const start = this.#held.indexOf(before) + before.length
      const stop = this.#held.indexOf(after, start)
      const end = stop === -1 ? -1 : this.#held.indexOf(';', stop)
      if (end !== -1) {
        const output = this.#held.slice(start, stop)
        const code = Number(this.#held.slice(stop + after.length, end))
        this.#held = this.#held.slice(end + 1)
        return { code, output }
      }
      const { value, done } = await this.#reader.read()
      if (done) throw new MachineError('MACHINE_FAILED', 'The device ended its shell.')
      this.#held += decoder.decode(value, { stream: true })
      if (this.#held.length > maxOutput)
        throw new MachineError('MACHINE_FAILED', `The device printed more than ${maxOutput} characters.`)
    }
  }
}

/** A word that a shell takes as it is. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
