import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Input, type Output, Sandglass } from '@sandglass/client'
import { LocalEngine } from '@sandglass/machines/local'
import { serverProcess } from './load.ts'

export const imagesDir = process.env['SANDGLASS_IMAGES'] ?? join(import.meta.dirname, '../data/images')

/** The poll interval. A client that polls without a pause would take CPU time from what it waits for. */
const pollMs = 5

const anyShape = {
  name: 'bench',
  description: 'For the bench.',
  os: 'Linux',
  virtualization: 'Container',
  engine: 'local',
  image: 'minimal',
  cpus: 1,
  memoryMiB: 1024,
  diskMiB: 2048,
  pids: 1024,
}

/** A service in its own process. */
export interface BenchService {
  /** A temporary folder on the host; the service's data is in it. */
  readonly folder: string
  /** Of the host; the front and the workers are its children. */
  readonly pid: number
  readonly url: string
  /** The caller's credential. */
  readonly headers: Readonly<Record<string, string>>
  /** A client of the owner of its organization. */
  readonly client: Sandglass
  create(shapeName?: string): Promise<BenchSandbox>
  /** A sandbox that runs already. */
  connect(id: string): BenchSandbox
  deleteAll(): Promise<void>
  /** What /metrics answers to the operator. */
  metrics(): Promise<string>
}

/** A running sandbox. */
export interface BenchSandbox {
  readonly id: string
  /** The URL of the sandbox. */
  readonly url: string
  /** The caller's credential. */
  readonly headers: Readonly<Record<string, string>>
  readonly client: Sandglass
  /** Performs an action, and returns its result. */
  act(body: Input<'executeSandboxAction'>['body']): Output<'executeSandboxAction'>
}

interface Choices {
  /** The differences from a small desktop, per shape. */
  readonly shapes?: readonly object[]
  readonly env?: Readonly<Record<string, string>>
  /** A network namespace in which it is, with a door through which it is reached. */
  readonly inside?: { readonly netns: string; readonly port: number; readonly url: string }
}

/** Runs work with a service and removes everything of it afterwards. */
export async function withService<T>(
  { shapes = [{}], env = {}, inside }: Choices,
  work: (service: BenchService) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-bench-'))
  const catalogue = join(folder, 'shapes.json')
  await writeFile(catalogue, JSON.stringify({ shapes: shapes.map(shape => ({ ...anyShape, ...shape })) }))
  const server = await serverProcess(
    '../packages/server/src/main.ts',
    {
      SANDGLASS_DATA: folder,
      SANDGLASS_PORT: String(inside?.port ?? 0),
      ...(inside && { SANDGLASS_PUBLIC_URL: inside.url }),
      SANDGLASS_UPLINK: 'none',
      // A bench of virtual machines makes its own engine.
      SANDGLASS_VMS: 'off',
      SANDGLASS_IMAGES: imagesDir,
      SANDGLASS_SHAPES: catalogue,
      SANDGLASS_RATE_LIMIT: '1000000',
      ...env,
    },
    printed => printed.includes('are ready') && printed.includes('Try it:'),
    inside?.netns,
  )
  try {
    return await work(await serviceIn(folder, server.child.pid ?? 0, inside?.url))
  } finally {
    await server.stop()
    await new LocalEngine({ dataDir: join(folder, 'local'), imagesDir, uplink: 'none' }).dismantle()
    await rm(folder, { recursive: true, force: true })
  }
}

async function serviceIn(folder: string, pid: number, outside?: string): Promise<BenchService> {
  const { default: credentials } = await import(join(folder, 'credentials.json'), { with: { type: 'json' } })
  const { orgId, apiKey, operatorKey } = credentials
  const url: string = outside ?? credentials.url
  const sandboxes = `${url}/api/orgs/${orgId}/sandboxes`
  const headers = { 'x-api-key': apiKey }
  // It waits while machines are being adopted, as right after a start.
  const client = new Sandglass({ url, orgId, apiKey, retries: 100 })
  const connect = (id: string): BenchSandbox => ({
    id,
    url: `${sandboxes}/${id}`,
    headers,
    client,
    act: body => client.executeSandboxAction({ sandboxId: id, body }),
  })
  return {
    folder,
    pid,
    url,
    headers,
    client,
    async create(shapeName = anyShape.name) {
      let { id, status, reason } = await client.createSandbox({ body: { shapeName, wait: 30 } })
      while (status === 'PENDING') {
        await setTimeout(pollMs)
        ;({ status, reason } = (await client.getSandbox({ sandboxId: id })).sandbox)
      }
      if (status !== 'RUNNING') throw new Error(`sandbox ${id} is ${status}: ${reason}`)
      return connect(id)
    },
    connect,
    async deleteAll() {
      const all = await Array.fromAsync(client.all('listSandboxes'))
      await Promise.all(all.map(({ id }) => client.deleteSandbox({ sandboxId: id })))
    },
    async metrics() {
      return await (await fetch(`${url}/metrics`, { headers: { 'x-api-key': operatorKey } })).text()
    },
  }
}
