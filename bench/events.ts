import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { openPool } from '../packages/server/src/db/database.ts'
import { embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { serverProcess } from './load.ts'
import { median, p95, type Row, row } from './row.ts'
import { timed } from './timed.ts'

const changes = 300
const crowd = 1000
const crowdRounds = 30
/** The event log is switched between blocks, so that both sides meet the same moods of the host. */
const blocks = 40
const blockSize = 50

/** The event log: how soon a change is on a stream, a thousand streams, and what the log costs a change. */
export default async function events(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-bench-'))
  const server = await serverProcess(
    '../packages/server/src/main.ts',
    {
      SANDGLASS_DATA: folder,
      SANDGLASS_PORT: '0',
      SANDGLASS_MACHINES: 'none',
      SANDGLASS_RATE_LIMIT: '1000000000',
      SANDGLASS_ORGANIZATION_SHARE: '100',
      SANDGLASS_EVENT_STREAMS: String(2 * crowd),
      NODE_OPTIONS: `--import=${new URL('events-switch.ts', import.meta.url).pathname}`,
    },
    printed => printed.includes('Try it:'),
  )
  try {
    const { url, orgId, apiKey } = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8'))
    const service = { url, orgId, apiKey }
    const sandboxId = await insertSandbox(folder, orgId)
    const extend = () => extendSandbox(service, sandboxId)
    for (let i = 0; i < changes; i++) await extend()
    return [
      ...(await latency(service, extend)),
      ...(await manyStreams(service, extend)),
      await cost(extend, () => server.child.kill('SIGUSR2')),
    ]
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Service {
  readonly url: string
  readonly orgId: string
  readonly apiKey: string
}

/** Inserts a sandbox without a machine, which extending does not need. */
async function insertSandbox(folder: string, orgId: string): Promise<string> {
  const { db, close } = openPool(embeddedAddress(join(folder, 'postgres')), () => {})
  const id = randomUUID()
  await sql`INSERT INTO sandboxes (id, org_id, project_id, name, shape_name, status, expires_at)
    SELECT ${id}, ${orgId}, projects.id, 'bench', 'linux-desktop', 'ERROR', now() + interval '1 hour'
    FROM projects WHERE org_id = ${orgId} AND is_default`.execute(db)
  await close()
  return id
}

async function extendSandbox({ url, orgId, apiKey }: Service, id: string): Promise<void> {
  const answer = await fetch(`${url}/api/orgs/${orgId}/sandboxes/${id}/extend`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ maxLifeSeconds: 3600 }),
  })
  await answer.text()
  if (!answer.ok) throw new Error(`extendSandbox answered ${answer.status}`)
}

/** A stream that counts the events which it receives. */
class Stream {
  received = 0
  /** When the last of the events that were waited for came. */
  at = 0
  readonly #socket: Socket
  #waiting: { readonly count: number; readonly resolve: () => void } | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.received += chunk.toString('latin1').split('\ndata: {').length - 1
      if (this.#waiting && this.received >= this.#waiting.count) {
        this.at = performance.now()
        this.#waiting.resolve()
        this.#waiting = undefined
      }
    })
  }

  static async open({ url, orgId, apiKey }: Service): Promise<Stream> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(
      `GET /api/orgs/${orgId}/events HTTP/1.1\r\nHost: localhost:${port}\r\nX-Api-Key: ${apiKey}\r\nAccept: text/event-stream\r\n\r\n`,
    )
    const [head] = await once(socket, 'data')
    if (!String(head).startsWith('HTTP/1.1 200')) throw new Error(String(head))
    return new Stream(socket)
  }

  /** Settles when it has received this many events in all. */
  async until(count: number): Promise<void> {
    if (this.received >= count) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting = { count, resolve }
    await promise
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** How much later than the answer to a change its event arrives. It is negative if it arrives first. */
async function latency(service: Service, extend: () => Promise<void>): Promise<Row[]> {
  const stream = await Stream.open(service)
  await delay(500)
  const later: number[] = []
  for (let i = 0; i < changes; i++) {
    const arrived = stream.until(stream.received + 1)
    await extend()
    const answeredAt = performance.now()
    await arrived
    later.push(stream.at - answeredAt)
  }
  stream.close()
  return [
    row('event on a stream, after the answer to its change p50', 'ms', median(later)),
    row('event on a stream, after the answer to its change p95', 'ms', p95(later)),
  ]
}

async function manyStreams(service: Service, extend: () => Promise<void>): Promise<Row[]> {
  const streams: Stream[] = []
  while (streams.length < crowd)
    streams.push(...(await Promise.all(Array.from({ length: 50 }, () => Stream.open(service)))))
  await delay(1000)
  const later: number[] = []
  const took: number[] = []
  for (let i = 0; i < crowdRounds; i++) {
    const arrived = Promise.all(streams.map(stream => stream.until(stream.received + 1)))
    took.push(await timed(extend))
    const answeredAt = performance.now()
    await arrived
    later.push(Math.max(...streams.map(({ at }) => at)) - answeredAt)
    await delay(20)
  }
  for (const stream of streams) stream.close()
  await delay(500)
  return [
    row(`event on the last of ${crowd} streams, after the answer to its change p50`, 'ms', median(later)),
    row(`extendSandbox with ${crowd} open streams p50`, 'ms', median(took)),
  ]
}

/** extendSandbox with the event log, beside without it. */
async function cost(extend: () => Promise<void>, toggle: () => void): Promise<Row> {
  const times: Record<'on' | 'off', number[]> = { on: [], off: [] }
  for (let block = 0; block < blocks; block++) {
    const side = block % 2 === 0 ? 'on' : 'off'
    const some: number[] = []
    for (let i = 0; i < blockSize; i++) some.push(await timed(extend))
    // The first ones of a block pay for the switch.
    times[side].push(...some.slice(5))
    toggle()
    await delay(50)
  }
  return row(
    'extendSandbox with the event log p50, beside without it',
    'ms',
    median(times.on),
    median(times.off),
  )
}
