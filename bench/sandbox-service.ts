import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { LocalEngine } from '@sandglass/machines/local'
import { serverProcess } from './load.ts'

const shape = {
  ...{
    name: 'bench',
    description: 'For the bench.',
    os: 'Linux',
    virtualization: 'Container',
    engine: 'local',
    image: 'minimal',
  },
  ...{ cpus: 1, memoryMiB: 1024, diskMiB: 2048, pids: 1024 },
}

/** Calls a sandbox that runs, by the path below its own; every answer must be a success. */
// biome-ignore lint/suspicious/noExplicitAny: each caller knows what its operation answers.
export type CallSandbox = (method: string, path: string, body?: unknown) => Promise<any>

/** A service as a process of its own with one sandbox that runs; everything of it is gone when the work is done. */
export async function withSandbox<T>(
  imagesDir: string,
  work: (call: CallSandbox, folder: string) => Promise<T>,
): Promise<T> {
  const data = await mkdtemp(join(tmpdir(), 'sandglass-bench-'))
  const shapes = join(data, 'shapes.json')
  await writeFile(shapes, JSON.stringify({ shapes: [shape] }))
  const server = await serverProcess(
    '../packages/server/src/main.ts',
    {
      ...{ SANDGLASS_DATA: data, SANDGLASS_PORT: '0', SANDGLASS_UPLINK: 'none', SANDGLASS_IMAGES: imagesDir },
      ...{ SANDGLASS_SHAPES: shapes, SANDGLASS_RATE_LIMIT: '1000000', SANDGLASS_LOG_LEVEL: 'warn' },
    },
    printed => printed.includes('are ready'),
  )
  try {
    const { default: credentials } = await import(join(data, 'credentials.json'), { with: { type: 'json' } })
    const sandboxes = `${credentials.url}/api/orgs/${credentials.orgId}/sandboxes`
    const call: CallSandbox = async (method, path, body) => {
      const answer = await fetch(sandboxes + path, {
        method,
        headers: {
          'x-api-key': credentials.apiKey,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    }
    const { id } = await call('POST', '', { shapeName: shape.name })
    while ((await call('GET', `/${id}/status`)).status !== 'RUNNING') await setTimeout(50)
    return await work((method, path, body) => call(method, `/${id}${path}`, body), data)
  } finally {
    await server.stop()
    await new LocalEngine({ dataDir: join(data, 'local'), imagesDir, uplink: 'none' }).dismantle()
    await rm(data, { recursive: true, force: true })
  }
}
