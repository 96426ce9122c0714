import { Readable } from 'node:stream'

export interface UploadParts<Content = Readable | Uint8Array> {
  readonly content: Content
  /** The bytes before the content, and after it. */
  readonly head?: Uint8Array
  readonly tail?: Uint8Array
}

/**
 * The body of an upload. It records whether its source failed, because that is then the reason why the upload failed.
 */
export class UploadBody {
  readonly content: Readable | Uint8Array
  readonly #source: Readable | undefined
  #broken: unknown

  constructor({ content, head = empty, tail = empty }: UploadParts) {
    if (!(content instanceof Readable)) {
      this.content = Buffer.concat([head, content, tail])
      return
    }
    this.#source = content.on('error', error => {
      this.#broken ??= error
    })
    this.content = Readable.from(framed(head, content, tail), { objectMode: false })
  }

  /** The error of the source, or undefined if it did not fail. */
  get broken(): unknown {
    return this.#broken
  }

  /** Releases the source, even if it was not read to its end. */
  close(): void {
    this.#source?.destroy()
  }
}

async function* framed(head: Uint8Array, source: Readable, tail: Uint8Array): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  // A failed upload must not destroy the source with an error, which would look like an error of the source itself.
  for await (const piece of source.iterator({ destroyOnReturn: false })) yield piece
  if (tail.length > 0) yield tail
}

const empty = new Uint8Array()
