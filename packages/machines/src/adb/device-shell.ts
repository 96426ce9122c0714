import { randomBytes } from 'node:crypto'
import type { AdbSocket } from '@yume-chan/adb'
import type { ReadableStreamDefaultReader, WritableStreamDefaultWriter } from '@yume-chan/stream-extra'
import { MachineError } from '../contract/errors.ts'
import type { AdbLink } from './adb-link.ts'
import { AnswerTimeout } from './answer-timeout.ts'
import { MarkedOutput } from './marked-output.ts'

export interface CommandResult {
  readonly code: number
  /** The output of the command, with stdout and stderr interleaved as they arrived. */
  readonly output: string
}

/** No command that runs here prints more than this. */
const maxOutput = 4 * 1024 * 1024

/**
 * Keeps one shell open on the device, so that a command costs one process and no connection. Commands run one after
 * another.
 */
export class DeviceShell {
  /** Resolves when the shell has ended; the device has to be connected to again then. */
  readonly ended: Promise<unknown>
  readonly #timeout: AnswerTimeout
  readonly #socket: AdbSocket
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  /**
   * Printed before each command and, with its exit code, after it; everything outside is a prompt. It is random, so
   * that no program on the device can print it.
   */
  readonly #mark = randomBytes(12).toString('hex')
  #last: Promise<unknown> = Promise.resolve()

  private constructor(link: AdbLink, socket: AdbSocket) {
    this.#timeout = new AnswerTimeout(link)
    this.#socket = socket
    this.ended = socket.closed
    this.#writer = socket.writable.getWriter()
    this.#reader = socket.readable.getReader()
  }

  static async open(link: AdbLink): Promise<DeviceShell> {
    return new DeviceShell(link, await link.connect('exec:sh'))
  }

  run(command: string): Promise<CommandResult> {
    const result = this.#last.then(() => this.#timeout.answer(this.#run(command)))
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
    const found = new MarkedOutput(before, after, maxOutput)
    for (;;) {
      const { value, done } = await this.#reader.read()
      if (done) throw new MachineError('MACHINE_FAILED', 'The device ended its shell.')
      const result = found.receive(decoder.decode(value, { stream: true }))
      if (found.isTooLong) {
        // The rest of the output would be taken for that of the next command.
        this.close()
        throw new MachineError('MACHINE_FAILED', `The device printed more than ${maxOutput} characters.`)
      }
      if (result) return result
    }
  }
}

/** Quotes a word for a POSIX shell. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
