import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { LocalEngine } from '../packages/machines/src/engines/local/index.ts'
import { buildImage } from '../packages/machines/src/images/index.ts'
import { serverProcess } from './load.ts'

const imagesDir = process.env['SANDGLASS_IMAGES'] ?? join(import.meta.dirname, '../data/images')

/** As large as the smaller of the shapes that come with the service. */
const shape = {
  ...{ name: 'bench', description: 'For the bench.', os: 'Linux', virtualization: 'Container' },
  ...{ engine: 'local', image: 'minimal', cpus: 1, memoryMiB: 2048, diskMiB: 8192, pids: 512 },
}

/** One sandbox that runs, of a service that is a process of its own. */
export interface BenchSandbox {
  /** The sandbox's own, for what is below it. */
  readonly url: string
  readonly headers: Record<string, string>
  /** A folder on the host for what the bench keeps meanwhile. */
  readonly folder: string
  readonly servicePid: number
}

/** A service with one sandbox, and everything of it gone when the work is done. */
export async function withSandbox<T>(
  work: (sandbox: BenchSandbox) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  await buildImage('minimal', { imagesDir, onProgress: console.error })
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-bench-'))
  const shapes = join(folder, 'shapes.json')
  await writeFile(shapes, JSON.stringify({ shapes: [shape] }))
  const server = await serverProcess(
    '../packages/server/src/main.ts',
    {
      ...{
        SANDGLASS_DATA: folder,
        SANDGLASS_PORT: '0',
        SANDGLASS_UPLINK: 'none',
        SANDGLASS_IMAGES: imagesDir,
      },
      ...{ SANDGLASS_SHAPES: shapes, SANDGLASS_RATE_LIMIT: '1000000', ...env },
    },
    printed => printed.includes('are ready'),
  )
  try {
    const { default: credentials } = await import(join(folder, 'credentials.json'), {
      with: { type: 'json' },
    })
    const headers = { 'x-api-key': credentials.apiKey }
    const url = await running(`${credentials.url}/api/orgs/${credentials.orgId}/sandboxes`, headers)
    return await work({ url, headers, folder, servicePid: server.child.pid ?? 0 })
  } finally {
    await server.stop()
    await new LocalEngine({ dataDir: join(folder, 'local'), imagesDir, uplink: 'none' }).dismantle()
    await rm(folder, { recursive: true, force: true })
  }
}

async function running(sandboxes: string, headers: Record<string, string>): Promise<string> {
  const json = { ...headers, 'content-type': 'application/json' }
  const body = JSON.stringify({ shapeName: shape.name })
  const { id } = Object(await (await fetch(sandboxes, { method: 'POST', headers: json, body })).json())
  for (;;) {
    const { status } = Object(await (await fetch(`${sandboxes}/${id}/status`, { headers })).json())
    if (status === 'RUNNING') return `${sandboxes}/${id}`
    if (status !== 'PENDING') throw new Error(`sandbox ${id} is ${status}`)
    await setTimeout(20)
  }
}
