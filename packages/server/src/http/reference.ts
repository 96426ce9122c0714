import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Operation, openapi } from '@sandglass/protocol'
import type { FastifyInstance } from 'fastify'
import { addAssets } from './assets.ts'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandglass API</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<div id="swagger-ui"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
`

const start = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, tryItOutEnabled: true })\n`

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

/** Serves the OpenAPI document of the operations, and a page to browse it. */
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
  app.get('/docs', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(page),
  )
  app.get('/docs/start.js', async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(start),
  )
  const assets = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static')
  addAssets(app, { root: assets, prefix: '/docs/assets/' })
}
