import { Readable } from 'node:stream'

export interface UploadParts<Content = Readable | Uint8Array> {
  readonly content: Content
  /** What goes before the content, and after it. */
  readonly head?: Uint8Array
  readonly tail?: Uint8Array
}

/** The body of an upload. It knows whether its own source broke, which is then the reason that the upload failed. */
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
    this.content = Readable.from(around(head, content, tail), { objectMode: false })
  }

  /** What the source failed with; undefined where it did not. */
  get broken(): unknown {
    return this.#broken
  }

  /** Lets go of the source, also where not all of it was read. */
  close(): void {
    this.#source?.destroy()
  }
}

async function* around(head: Uint8Array, source: Readable, tail: Uint8Array): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  // An upload that fails must not end the source with an error, which would look like the source's own.
  for await (const piece of source.iterator({ destroyOnReturn: false })) yield piece
  if (tail.length > 0) yield tail
}

const empty = new Uint8Array()
