import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ApiError, EnvironmentVariables } from '@sandglass/protocol'
import { z } from 'zod'
import type { Spool, Spooled } from '../../../spool.ts'
import { bounded } from './bounded.ts'
import {
  aboutOf,
  blobName,
  Config,
  type Descriptor,
  type ImageAbout,
  Index,
  type Layer,
  Layout,
  layoutOf,
  Manifest,
  sha256,
} from './layout.ts'
import { readTar } from './read-tar.ts'
import { blockBytes, paddingOf, tarHeader } from './tar-entry.ts'

/** Documents are kept in memory. Everything larger is a layer. */
const maxDocumentBytes = 1024 * 1024
const maxBlobs = 32

/** An image as a file, and its length. */
export interface ImageFile {
  readonly size: number
  read(): Readable
}

/** Makes the file of an image: a tar archive with an OCI image layout. */
export function imageFileOf(about: ImageAbout, layer: Layer, content: Pick<Spooled, 'read'>): ImageFile {
  const documents = layoutOf(about, layer)
  const end = Buffer.alloc(2 * blockBytes)
  const sizeOf = (size: number) => blockBytes + size + paddingOf(size)
  async function* pieces(): AsyncGenerator<Buffer> {
    for (const document of documents) {
      const { length } = document.content
      yield Buffer.concat([
        tarHeader(document.name, length),
        document.content,
        Buffer.alloc(paddingOf(length)),
      ])
    }
    yield tarHeader(blobName(layer.sha256), layer.size)
    yield* content.read()
    yield Buffer.concat([Buffer.alloc(paddingOf(layer.size)), end])
  }
  const sizes = [...documents.map(document => document.content.length), layer.size]
  return {
    size: sizes.reduce((sum, size) => sum + sizeOf(size), end.length),
    read: () => Readable.from(pieces(), { objectMode: false }),
  }
}

/** A file that arrived and is complete: every part has the digest that it should have. */
export interface ReceivedImage extends AsyncDisposable {
  readonly shapeName?: string | undefined
  readonly description?: string | undefined
  readonly env: Readonly<Record<string, string>>
  /** In the words of OCI, such as `amd64`. */
  readonly architecture: string
  readonly layer: Spooled
}

/** Receives the file of an image. Throws image.FILE if it is no such file, is damaged or incomplete, or is too large. */
export async function receiveImage(
  source: AsyncIterable<Uint8Array>,
  spool: Spool,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ReceivedImage> {
  await using received = new AsyncDisposableStack()
  const documents = new Map<string, Buffer>()
  const layers = new Map<string, Spooled>()
  const limits = { maxBytes, tooLarge: () => tooLarge(maxBytes), signal }
  const incoming = bounded(source, limits)
  let left = maxBytes
  try {
    for await (const part of readTar(incoming)) {
      const { size, content } = part
      if (size > left) throw tooLarge(maxBytes)
      left -= size
      const name = nameOf(part.name)
      if (documents.has(name) || layers.has(name)) throw new Error('it has two parts with the same name')
      if (documents.size + layers.size >= maxBlobs) throw new Error('it has too many parts')
      if (size <= maxDocumentBytes) documents.set(name, await buffer(content))
      else layers.set(name, received.use(await spool.store(content, limits)))
    }
    // A layer that is small arrived as a document.
    const find = async (hash: string): Promise<Spooled | undefined> => {
      const small = documents.get(blobName(hash))
      return small ? received.use(await spool.store([small], limits)) : layers.get(blobName(hash))
    }
    const about = await resolve(documents, find, new Set(layers.keys()))
    const kept = received.move()
    return { ...about, [Symbol.asyncDispose]: () => kept.disposeAsync() }
  } catch (cause) {
    // The sender reads why only when it can go on sending. Whoever serves the request ends that after some seconds.
    drain(incoming).catch(() => {})
    signal.throwIfAborted()
    if (cause instanceof ApiError) throw cause
    const reason =
      cause instanceof z.ZodError ? 'it has no image that this service understands' : messageOf(cause)
    throw new ApiError('image.FILE', {
      message: `The file is not an image that can be imported: ${reason}.`,
      cause,
    })
  }
}

async function drain(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}

async function resolve(
  documents: ReadonlyMap<string, Buffer>,
  find: (hash: string) => Promise<Spooled | undefined>,
  large: ReadonlySet<string>,
): Promise<Omit<ReceivedImage, typeof Symbol.asyncDispose>> {
  const read = <Document>(
    schema: z.ZodType<Document>,
    content: Buffer | undefined,
    name: string,
  ): Document => {
    if (!content) throw new Error(large.has(name) ? `${name} is too large` : `${name} is missing`)
    return schema.parse(JSON.parse(content.toString('utf8')))
  }
  const blob = ({ digest, size }: Descriptor): Buffer => {
    const hash = hashOf(digest)
    const content = documents.get(blobName(hash))
    if (large.has(blobName(hash))) throw new Error(`the part ${digest} is too large for a document`)
    if (!content) throw new Error(`the part ${digest} is missing`)
    if (content.length !== size || sha256(content) !== hash) throw new Error(`the part ${digest} is damaged`)
    return content
  }
  read(Layout, documents.get('oci-layout'), 'oci-layout')
  const [first] = read(Index, documents.get('index.json'), 'index.json').manifests
  if (!first) throw new Error('it has no image')
  const manifest = read(Manifest, blob(first), 'the manifest')
  const config = read(Config, blob(manifest.config), 'the configuration')
  const [descriptor] = manifest.layers
  const layer = descriptor && (await find(hashOf(descriptor.digest)))
  if (!descriptor || !layer) throw new Error('the layer is missing')
  if (layer.size !== descriptor.size || layer.sha256 !== hashOf(descriptor.digest))
    throw new Error('the layer is damaged')
  const { env, ...about } = aboutOf(manifest, config)
  const variables = EnvironmentVariables.safeParse(env)
  if (!variables.success || Object.keys(env).length > 100) throw new Error('its variables cannot be used')
  return { ...about, env: variables.data, architecture: config.architecture, layer }
}

const hashOf = (digest: string): string => digest.slice('sha256:'.length)

/** Some tools begin every name with the folder. */
const nameOf = (name: string): string => name.replace(/^(\.\/)+/, '')

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'it cannot be read'
}

function tooLarge(maxBytes: number): ApiError {
  const gib = (maxBytes / 2 ** 30).toFixed(1)
  return new ApiError('image.FILE', { message: `The file is too large: an image can have up to ${gib} GiB.` })
}
