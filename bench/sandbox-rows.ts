import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { LocalEngine } from '@sandglass/machines/local'
import { serverProcess } from './load.ts'
import { Floor } from './rivals/floor.ts'
import { median, p95, type Row, row } from './row.ts'

const rounds = 25
/** How often a client asks for the status. */
const pollMs = 5
const burst = 30
const crowd = 70

const small = {
  ...{
    description: 'For the bench.',
    os: 'Linux',
    virtualization: 'Container',
    engine: 'local',
    image: 'minimal',
  },
  ...{ cpus: 1, memoryMiB: 1024, diskMiB: 1024, pids: 512 },
}

/** The whole way over HTTP, until the sandbox is RUNNING, beside the floor in the same run. */
export async function sandboxRows(imagesDir: string, root: string): Promise<Row[]> {
  const data = await mkdtemp(join(tmpdir(), 'sandglass-bench-'))
  const shapes = join(data, 'shapes.json')
  await writeFile(
    shapes,
    JSON.stringify({
      shapes: [
        { ...small, name: 'cold' },
        { ...small, name: 'warm', warm: 3 },
      ],
    }),
  )
  const env = {
    SANDGLASS_DATA: data,
    SANDGLASS_PORT: '0',
    SANDGLASS_UPLINK: 'none',
    SANDGLASS_IMAGES: imagesDir,
  }
  const server = await serverProcess(
    '../packages/server/src/main.ts',
    { ...env, SANDGLASS_SHAPES: shapes, SANDGLASS_RATE_LIMIT: '1000000' },
    printed => printed.includes('are ready'),
  )
  try {
    const client = await Client.open(data)
    return [...(await beside(client, data, root)), ...(await together(client))]
  } finally {
    await server.stop()
    await new LocalEngine({ dataDir: join(data, 'local'), imagesDir, uplink: 'none' }).dismantle()
    await rm(data, { recursive: true, force: true })
  }
}

/** One at a time: the floor, a cold create, a claim from the pool. */
async function beside(client: Client, data: string, root: string): Promise<Row[]> {
  const [cold, claimed, floors]: [number[], number[], number[]] = [[], [], []]
  for (let round = -3; round < rounds; round++) {
    await setTimeout(1000)
    const floor = await Floor.start(root, data, `floor-http-${process.pid}-${round + 3}`)
    await floor.stop()
    await setTimeout(150)
    const coldTook = await client.create('cold')
    await client.deleteAll()
    await setTimeout(1000)
    const claimTook = await client.create('warm')
    await client.deleteAll()
    if (round < 0) continue
    floors.push(floor.tookMs)
    cold.push(coldTook)
    claimed.push(claimTook)
  }
  return [
    row('sandbox over HTTP, cold to RUNNING p50, beside the floor', 'ms', median(cold), median(floors)),
    row('sandbox over HTTP, cold to RUNNING p95, beside the floor', 'ms', p95(cold), p95(floors)),
    row(
      'sandbox over HTTP, claimed from the pool p50, beside the floor',
      'ms',
      median(claimed),
      median(floors),
    ),
    row('sandbox over HTTP, claimed from the pool p95, beside the floor', 'ms', p95(claimed), p95(floors)),
  ]
}

async function together(client: Client): Promise<Row[]> {
  const start = performance.now()
  const times = await Promise.all(Array.from({ length: burst }, () => client.create('cold')))
  const whole = performance.now() - start
  await client.deleteAll()
  const growing: number[] = []
  for (let i = 0; i < crowd; i++) growing.push(await client.create('cold'))
  await client.deleteAll()
  const [first, last] = [median(growing.slice(0, 10)), median(growing.slice(-10))]
  return [
    row(`${burst} creates over HTTP at once, until the last is RUNNING`, 'ms', whole),
    row(`${burst} creates over HTTP at once, p50`, 'ms', median(times)),
    row(`create p50 with ${crowd - 10} running, beside with none`, 'ms', last, first),
  ]
}

class Client {
  readonly #sandboxes: string
  readonly #headers: Record<string, string>

  private constructor(sandboxes: string, apiKey: string) {
    this.#sandboxes = sandboxes
    this.#headers = { 'x-api-key': apiKey }
  }

  static async open(data: string): Promise<Client> {
    const { default: credentials } = await import(join(data, 'credentials.json'), { with: { type: 'json' } })
    return new Client(`${credentials.url}/api/orgs/${credentials.orgId}/sandboxes`, credentials.apiKey)
  }

  /** Milliseconds from the request until the sandbox is RUNNING. */
  async create(shape: string): Promise<number> {
    const start = performance.now()
    let { id, status } = await this.#call('POST', '', { shape })
    // A client that asks without a pause would take the processors from what it waits for.
    while (status === 'PENDING') {
      await setTimeout(pollMs)
      ;({ status } = await this.#call('GET', `/${id}/status`))
    }
    if (status !== 'RUNNING') throw new Error(`sandbox ${id} is ${status}`)
    return performance.now() - start
  }

  async deleteAll(): Promise<void> {
    const all = await this.#call('GET', '')
    await Promise.all(all.map(({ id }: { id: string }) => this.#call('DELETE', `/${id}`)))
  }

  // biome-ignore lint/suspicious/noExplicitAny: each caller knows what its operation answers.
  async #call(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await fetch(this.#sandboxes + path, {
      method,
      headers: { ...this.#headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}
