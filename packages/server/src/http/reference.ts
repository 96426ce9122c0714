import { createHash } from 'node:crypto'
import { type Operation, openapi } from '@sandglass/protocol'
import type { FastifyInstance } from 'fastify'

/** Keeps the serialized document: making it takes 100 ms, and everybody may request it. */
class PublishedDocument {
  readonly #make: (url: string) => object
  #made: { readonly url: string; readonly bytes: Buffer; readonly etag: string } | undefined

  constructor(make: (url: string) => object) {
    this.#make = make
  }

  /** The URL of the service is known only once it listens. */
  at(url: string): { readonly bytes: Buffer; readonly etag: string } {
    if (this.#made?.url === url) return this.#made
    const bytes = Buffer.from(JSON.stringify(this.#make(url)))
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
    this.#made = { url, bytes, etag }
    return this.#made
  }
}

/** Serves the OpenAPI document of the operations. The page at /docs, for people, is one of the pages. */
export function addReference(
  app: FastifyInstance,
  operations: readonly Operation[],
  version: string,
  publicUrl: () => string,
): void {
  const document = new PublishedDocument(url => openapi(operations, version, url))
  app.get('/openapi.json', async (request, reply) => {
    const { bytes, etag } = document.at(publicUrl())
    reply.headers({ etag, 'cache-control': 'no-cache' })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(bytes)
  })
}
