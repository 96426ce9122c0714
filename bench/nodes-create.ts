import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverProcess } from './load.ts'
import { median, p95, type Row, row } from './row.ts'
import { type BenchService, withService } from './service.ts'
import { timed } from './timed.ts'

const creates = 100
/** The first creates are not counted, because the process still opens connections and compiles code. */
const warmUp = 5

/** Measures a create through a process without machines, compared with one that is sent to the node directly. */
export default (): Promise<Row[]> =>
  withService({}, service =>
    withFront(service, async url => {
      const organization = new URL(await sandboxesOf(service))
      const front = `${url}${organization.pathname}`
      const direct: number[] = []
      const forwarded: number[] = []
      // Alternate between both, so that the load of the host affects them equally.
      for (let i = 0; i < warmUp + creates; i++) {
        direct.push(await createTime(service, organization.href))
        forwarded.push(await createTime(service, front))
      }
      const [near, far] = [direct.slice(warmUp), forwarded.slice(warmUp)]
      const name = 'create through a process without machines'
      return [
        row(`${name} p50, beside directly`, 'ms', median(far), median(near)),
        row(`${name} p95, beside directly`, 'ms', p95(far), p95(near)),
        row(`${name}, added at p50`, 'ms', median(far) - median(near)),
      ]
    }),
  )

/** Runs work with a second process on the same database that creates no machines. */
async function withFront<T>(service: BenchService, work: (url: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-bench-front-'))
  const socket = encodeURIComponent(join(service.folder, 'postgres'))
  const front = await serverProcess(
    '../packages/server/src/main.ts',
    {
      SANDGLASS_DATA: folder,
      SANDGLASS_PORT: '0',
      SANDGLASS_LIVE_UDP_PORT: 'none',
      SANDGLASS_MACHINES: 'none',
      SANDGLASS_SHAPES: join(service.folder, 'shapes.json'),
      SANDGLASS_RATE_LIMIT: '1000000',
      DATABASE_URL: `postgres://sandglass@localhost/postgres?host=${socket}`,
    },
    printed => printed.includes('Try it:'),
  )
  try {
    const { url } = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8'))
    return await work(url)
  } finally {
    await front.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function sandboxesOf({ folder, url }: BenchService): Promise<string> {
  const { orgId } = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8'))
  return `${url}/api/orgs/${orgId}/sandboxes`
}

/**
 * Measures the time until a create is answered. The sandbox runs and is deleted before this returns, so creates do not
 * overlap.
 */
async function createTime({ call, headers }: BenchService, url: string): Promise<number> {
  let id = ''
  const ms = await timed(async () => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ shapeName: 'bench' }),
    })
    const body = await answer.text()
    if (!answer.ok) throw new Error(`a create was answered with ${answer.status} ${body}`)
    id = JSON.parse(body).id
  })
  while ((await call('GET', `/sandboxes/${id}/status`)).status === 'PENDING')
    await new Promise(resolve => setTimeout(resolve, 5))
  await call('DELETE', `/sandboxes/${id}`)
  return ms
}
