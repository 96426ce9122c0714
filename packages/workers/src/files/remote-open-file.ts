import { type Readable, Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type FileInfo, MachineError, type OpenFile } from '@sandglass/machines/contract'
import type { Channel } from '@sandglass/rpc'
import type { Part } from './schemas.ts'

/** A file that a worker holds open. */
export class RemoteOpenFile implements OpenFile {
  readonly info: FileInfo
  readonly #content: Channel
  /** The part that was requested already. */
  readonly #part: Part | undefined

  constructor(info: FileInfo, content: Channel, part: Part | undefined) {
    this.info = info
    this.#content = content
    this.#part = part
  }

  read(part: Part = {}): Readable {
    const whole = this.#request(part)
    pipeline(this.#content, whole).catch(error => whole.destroy(error))
    return whole
  }

  async sendTo(sink: Writable, part: Part = {}): Promise<void> {
    try {
      await pipeline(this.#content, this.#request(part), sink, { end: false })
    } finally {
      // A sink that was closed before fails without closing the source.
      this.#content.destroy()
    }
  }

  close(): void {
    this.#content.destroy()
  }

  #request(part: Part): Transform {
    if (!this.#part) this.#content.end(JSON.stringify(part))
    const { offset = 0, length = this.info.size } = this.#part ?? part
    return exactly(Math.max(0, Math.min(this.info.size - offset, length)), this.info.name)
  }
}

/**
 * Passes on exactly as many bytes. What is sent to a caller of the API has a length that was announced, and more of it
 * would be taken for the answer to another request.
 */
function exactly(length: number, name: string): Transform {
  let left = length
  const changed = () => new MachineError('STATE', `${name} changed while it was read`)
  return new Transform({
    highWaterMark: 256 * 1024,
    transform(chunk: Buffer, _, done) {
      left -= chunk.length
      if (left < 0) done(changed())
      else done(null, chunk)
    },
    flush(done) {
      done(left === 0 ? null : changed())
    },
  })
}
