import { MachineError } from '../../../contract/errors.ts'
import type { GuestStream } from './guest.ts'

const gone = (cause?: unknown) => new MachineError('STATE', 'the machine closed the connection', { cause })

/**
 * Converts network errors of a broken connection into an error for callers. Any other error is the reason why a
 * caller gave up, and is kept.
 */
export function asConnectionError(error: Error): Error {
  return 'code' in error && /^(EPIPE|ECONNRESET)$/.test(String(error.code)) ? gone(error) : error
}

/**
 * Reads one line of at most `maxBytes`, which may depend on when it arrives, and leaves the rest in the stream. However small the pieces are in which a guest
 * sends it, the line is held in one buffer.
 */
export function readLine(socket: GuestStream, maxBytes: number | (() => number)): Promise<Buffer> {
  const maxLength = typeof maxBytes === 'number' ? () => maxBytes : maxBytes
  return new Promise((resolve, reject) => {
    const line = new GrowingBuffer()
    const stop = () => {
      socket.off('readable', take).off('end', ended).off('error', broke).off('close', ended)
    }
    const failed = (error: Error) => {
      stop()
      reject(error)
    }
    const ended = () => failed(gone())
    const broke = (error: Error) => failed(asConnectionError(error))
    const take = () => {
      for (let chunk: Buffer | null = socket.read(); chunk; chunk = socket.read()) {
        const newline = chunk.indexOf(10)
        const end = newline < 0 ? chunk.length : newline
        if (line.length + end > maxLength())
          return failed(new MachineError('STATE', 'the machine answered with a line that is too long'))
        line.append(chunk.subarray(0, end))
        if (newline < 0) continue
        stop()
        if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1))
        return resolve(line.content)
      }
    }
    socket.on('readable', take).on('end', ended).on('error', broke).on('close', ended)
    // A socket that is already closed emits no more events.
    if (!socket.closed) return
    if (socket.errored) broke(socket.errored)
    else ended()
  })
}

class GrowingBuffer {
  #bytes: Buffer = Buffer.alloc(0)
  length = 0

  append(chunk: Buffer): void {
    const needed = this.length + chunk.length
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(1024, needed, this.#bytes.length * 2))
      this.#bytes.copy(larger, 0, 0, this.length)
      this.#bytes = larger
    }
    chunk.copy(this.#bytes, this.length)
    this.length = needed
  }

  get content(): Buffer {
    return this.#bytes.subarray(0, this.length)
  }
}
