import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ApiError, EnvironmentVariables } from '@sandglass/protocol'
import { z } from 'zod'
import type { Spool, Spooled } from '../../../spool.ts'
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
  let left = maxBytes
  try {
    for await (const { name, size, content } of readTar(source)) {
      if (size > left) throw tooLarge(maxBytes)
      left -= size
      if (documents.size + layers.size >= maxBlobs) throw new Error('it has too many parts')
      if (size <= maxDocumentBytes) documents.set(nameOf(name), await buffer(content))
      else {
        const limits = { maxBytes: size, tooLarge: () => tooLarge(maxBytes), signal }
        layers.set(nameOf(name), received.use(await spool.store(content, limits)))
      }
    }
    // A layer that is small arrived as a document.
    const find = async (hash: string): Promise<Spooled | undefined> => {
      const small = documents.get(blobName(hash))
      if (!small) return layers.get(blobName(hash))
      const limits = { maxBytes: small.length, tooLarge: () => tooLarge(maxBytes), signal }
      return received.use(await spool.store([small], limits))
    }
    const about = await resolve(documents, find)
    const kept = received.move()
    return { ...about, [Symbol.asyncDispose]: () => kept.disposeAsync() }
  } catch (cause) {
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

async function resolve(
  documents: ReadonlyMap<string, Buffer>,
  find: (hash: string) => Promise<Spooled | undefined>,
): Promise<Omit<ReceivedImage, typeof Symbol.asyncDispose>> {
  const read = <Document>(
    schema: z.ZodType<Document>,
    content: Buffer | undefined,
    name: string,
  ): Document => {
    if (!content) throw new Error(`${name} is missing`)
    return schema.parse(JSON.parse(content.toString('utf8')))
  }
  const blob = ({ digest, size }: Descriptor): Buffer => {
    const hash = hashOf(digest)
    const content = documents.get(blobName(hash))
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
  return { ...about, env: variables.data, layer }
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
