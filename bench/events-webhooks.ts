import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Database, openPool } from '../packages/server/src/db/database.ts'
import { embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { serverProcess } from './load.ts'
import { median, type Row, row } from './row.ts'

const rounds = 7
const events = 3000
/** As many as the service has requests to one endpoint. */
const loops = 32

/** Deliveries to a webhook on loopback, compared with a loop of bare `fetch` that posts the same body to the same endpoint. */
export default async function webhooks(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-bench-'))
  const server = await serverProcess(
    '../packages/server/src/main.ts',
    {
      SANDGLASS_DATA: folder,
      SANDGLASS_PORT: '0',
      SANDGLASS_MACHINES: 'none',
      SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.1/32',
    },
    printed => printed.includes('Try it:'),
  )
  const endpoint = await Endpoint.start()
  const { db, close } = openPool(embeddedAddress(join(folder, 'postgres')), () => {})
  try {
    const { url, orgId, apiKey } = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8'))
    const created = await fetch(`${url}/api/orgs/${orgId}/webhooks`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ url: endpoint.url }),
    })
    if (!created.ok) throw new Error(`createWebhook answered ${created.status}`)
    await delivered(db, orgId, endpoint)
    const [ours, bare]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      ours.push(await delivered(db, orgId, endpoint))
      bare.push(await fetched(endpoint))
    }
    return [row('webhook deliveries on loopback', 'per second', median(ours), median(bare))]
  } finally {
    await close()
    endpoint.close()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns how many events per second arrive, from the commit of the first one to the arrival of the last. */
async function delivered(db: Database, orgId: string, endpoint: Endpoint): Promise<number> {
  const all = endpoint.expect(events)
  const from = performance.now()
  await sql`INSERT INTO events (org_id, type, subject, data, actor_kind, actor_id)
    SELECT ${orgId}, 'sandbox.extended', 'sandbox-' || n, '{"expiresAt": "2026-11-15T03:02:03.456Z"}', 'service', 'bench'
    FROM generate_series(1, ${events}::int) AS n`.execute(db)
  await all
  return (1000 * events) / (performance.now() - from)
}

async function fetched(endpoint: Endpoint): Promise<number> {
  const loop = await serverProcess(
    'rivals/fetch-loop.ts',
    { URL: endpoint.url, BODY: endpoint.body, TIMES: String(events), LOOPS: String(loops) },
    printed => printed.includes('per second'),
  )
  return Number.parseFloat(loop.printed())
}

/** An endpoint in this process that counts the requests. */
class Endpoint {
  /** The last body. */
  body = ''
  readonly #server: Server
  #ids = new Set<string>()
  #expected: { readonly count: number; readonly resolve: () => void } | undefined

  private constructor() {
    this.#server = createServer((request, response) => {
      const id = request.headers['webhook-id']
      const pieces: Buffer[] = []
      request.on('data', piece => pieces.push(piece))
      request.on('end', () => {
        this.body = Buffer.concat(pieces).toString()
        response.writeHead(204).end()
        if (typeof id === 'string') this.#count(id)
      })
    })
  }

  static async start(): Promise<Endpoint> {
    const endpoint = new Endpoint()
    endpoint.#server.listen(0, '127.0.0.1')
    await once(endpoint.#server, 'listening')
    return endpoint
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  /** Settles when this many more messages have arrived. */
  expect(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#ids = new Set()
    this.#expected = { count, resolve }
    return promise
  }

  #count(id: string): void {
    if (this.#ids.add(id).size === this.#expected?.count) this.#expected.resolve()
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
