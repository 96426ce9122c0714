import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { cleanup } from './cleanup.ts'
import { type S3Keys, signatureProblem } from './s3-signature.ts'

/** The page size is small so that tests with few objects get several pages. */
const pageSize = 10

/**
 * A server on the loopback that implements the part of S3 that the service uses, and rejects requests without a valid
 * signature.
 */
export class S3Server {
  readonly objects = new Map<string, { readonly body: Buffer; readonly type: string }>()
  readonly keys: S3Keys = { region: 'eu-test-1', accessKeyId: 'AKTEST', secretAccessKey: 'secret/of+test' }
  readonly bucket = 'pictures'
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  static async start(): Promise<S3Server> {
    const storage = new S3Server()
    storage.#server.listen(0, '127.0.0.1')
    await once(storage.#server, 'listening')
    cleanup.defer(() => storage.stop())
    return storage
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Settings for a service that uses this server. */
  get env(): Record<string, string> {
    return {
      SANDGLASS_S3_ENDPOINT: this.endpoint,
      SANDGLASS_S3_BUCKET: this.bucket,
      SANDGLASS_S3_REGION: this.keys.region,
      SANDGLASS_S3_ACCESS_KEY_ID: this.keys.accessKeyId,
      SANDGLASS_S3_SECRET_ACCESS_KEY: this.keys.secretAccessKey,
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>(resolve => this.#server.close(() => resolve()))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const problem = signatureProblem(request, body, this.keys)
    if (problem) return void response.writeHead(403).end(`<Error><Message>${problem}</Message></Error>`)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://storage')
    const [, bucket, ...path] = decodeURIComponent(pathname).split('/')
    if (bucket !== this.bucket) return void response.writeHead(404).end()
    const key = path.join('/')
    const found = this.objects.get(key)
    if (request.method === 'PUT') {
      this.objects.set(key, { body, type: String(request.headers['content-type']) })
      response.writeHead(200).end()
    } else if (request.method === 'DELETE') {
      this.objects.delete(key)
      response.writeHead(204).end()
    } else if (key === '' && searchParams.get('list-type') === '2') {
      response.writeHead(200, { 'content-type': 'application/xml' }).end(this.#list(searchParams))
    } else if (found) {
      response
        .writeHead(200, { 'content-type': found.type, 'content-length': found.body.length })
        .end(request.method === 'HEAD' ? undefined : found.body)
    } else response.writeHead(404).end()
  }

  #list(query: URLSearchParams): string {
    const keys = [...this.objects.keys()]
      .sort()
      .filter(key => key.startsWith(query.get('prefix') ?? '') && key > (query.get('start-after') ?? ''))
    const contents = keys.slice(0, pageSize).map(key => `<Contents><Key>${key}</Key></Contents>`)
    return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${keys.length > pageSize}</IsTruncated>${contents.join('')}</ListBucketResult>`
  }
}
