import { Writable } from 'node:stream'
import { MachineError } from '../../../../contract/errors.ts'

/** The agent gets all input in one request, which is held in memory. */
const maxBytes = 4 * 1024 * 1024

/** A program whose caller does not end its input starts after this time, with the input until then. */
const openMs = 500

/** Collects the input of a program that can only be given when it starts. */
export class ProgramInput {
  readonly stdin: Writable
  /** All of the input, once it has ended. */
  readonly content: Promise<Buffer>

  constructor() {
    const content = Promise.withResolvers<Buffer>()
    this.content = content.promise
    const chunks: Buffer[] = []
    let length = 0
    let isOpen = true
    const end = () => {
      isOpen = false
      clearTimeout(timer)
      content.resolve(Buffer.concat(chunks))
    }
    const timer = setTimeout(end, openMs)
    this.stdin = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        length += chunk.length
        if (!isOpen) return done(late())
        if (length > maxBytes) return done(tooMuch())
        chunks.push(Buffer.from(chunk))
        done()
      },
      final: done => {
        end()
        done()
      },
    })
    // Callers that do not watch their input must not be crashed by it.
    this.stdin.on('error', end)
  }
}

const late = () =>
  new MachineError(
    'STATE',
    "QEMU's guest agent takes the input of a program only when it starts, and it has started; give all input at once",
  )

const tooMuch = () =>
  new MachineError(
    'INVALID',
    `a program gets at most ${maxBytes} bytes of input from QEMU's guest agent; write a file`,
  )
