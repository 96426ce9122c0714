import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withNodes } from './nodes/setting.ts'
import { median, p95, type Row, row } from './row.ts'
import type { BenchService } from './service.ts'
import { timed } from './timed.ts'

const creates = 100
/** The first creates are not counted, because the process still opens connections and compiles code. */
const warmUp = 5

/** Measures a create through a process without machines, compared with one that is sent to the node directly. */
export default (): Promise<Row[]> =>
  withNodes(async ({ owner: service, frontUrl }) => {
    const organization = new URL(await sandboxesOf(service))
    const front = `${frontUrl}${organization.pathname}`
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
  })

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
