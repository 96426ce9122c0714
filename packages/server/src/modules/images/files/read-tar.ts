import { blockBytes, paddingOf, readTarHeader } from './tar-entry.ts'

/** More about the next entry, such as a long name, is kept in memory, so it is limited. */
const maxExtraBytes = 64 * 1024

/** The layout of an image has a few entries. Each takes time of the thread that serves everybody. */
const maxEntries = 1000

export interface TarFile {
  readonly name: string
  readonly size: number
  /** Read it to its end before the next entry. What is not read is skipped. */
  readonly content: AsyncIterable<Buffer>
}

/** Reads the regular files of a tar archive in their order. Throws if the archive is damaged, ends early or has very many. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const input = new BlockReader(source)
  let extra: { name?: string; size?: number } = {}
  for (let entries = 0; ; entries++) {
    const block = await input.read(blockBytes)
    const header = readTarHeader(block)
    if (!header) break
    if (entries >= maxEntries) throw new Error('it has too many entries')
    const { type } = header
    if (type === 'x' || type === 'g' || type === 'L') {
      if (header.size > maxExtraBytes) throw new Error('a header is too large')
      const content = await input.read(header.size)
      await input.read(paddingOf(header.size))
      if (type === 'x') extra = { ...extra, ...paxOf(content) }
      if (type === 'L') extra = { ...extra, name: content.toString('utf8').replace(/\0.*$/s, '') }
      continue
    }
    const { name, size } = { ...header, ...extra }
    extra = {}
    const body = new EntryBody(input, size)
    if (type === '0') yield { name, size, content: body }
    await body.skip()
  }
  // Let the sender finish, because a connection that is closed early looks like a failure to it.
  await input.drain()
}

/** Reads the records of a pax header, each of which is its length, a name and a value. */
function paxOf(content: Buffer): { name?: string; size?: number } {
  const found: { name?: string; size?: number } = {}
  for (let at = 0; at < content.length; ) {
    const [, digits = ''] = /^(\d+) /.exec(content.toString('latin1', at, at + 20)) ?? []
    const length = Number(digits)
    if (length <= digits.length + 1 || at + length > content.length)
      throw new Error('a pax header is damaged')
    const record = content.toString('utf8', at + digits.length + 1, at + length - 1)
    const [key, value] = [record.slice(0, record.indexOf('=')), record.slice(record.indexOf('=') + 1)]
    if (key === 'path') found.name = value
    if (key === 'size') {
      if (!/^\d{1,15}$/.test(value)) throw new Error('a size is damaged')
      found.size = Number(value)
    }
    at += length
  }
  return found
}

class EntryBody implements AsyncIterable<Buffer> {
  readonly #input: BlockReader
  readonly #padding: number
  #left: number
  #isSkipped = false

  constructor(input: BlockReader, size: number) {
    this.#input = input
    this.#left = size
    this.#padding = paddingOf(size)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    while (this.#left > 0) {
      const chunk = await this.#input.readSome(this.#left)
      this.#left -= chunk.length
      yield chunk
    }
  }

  async skip(): Promise<void> {
    if (this.#isSkipped) return
    this.#isSkipped = true
    for await (const _ of this);
    await this.#input.read(this.#padding)
  }
}

/** Reads exact numbers of bytes from a stream. */
class BlockReader {
  readonly #source: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Returns at least one byte, and at most so many. */
  async readSome(most: number): Promise<Buffer> {
    if (this.#rest.length === 0) await this.#fill()
    const chunk = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(chunk.length)
    return chunk
  }

  async read(size: number): Promise<Buffer> {
    const chunks: Buffer[] = []
    for (let left = size; left > 0; ) {
      const chunk = await this.readSome(left)
      chunks.push(chunk)
      left -= chunk.length
    }
    return Buffer.concat(chunks)
  }

  async drain(): Promise<void> {
    while (!(await this.#source.next()).done);
  }

  async #fill(): Promise<void> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next()
      if (next.done) throw new Error('it ends too early')
      this.#rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength)
    }
  }
}
