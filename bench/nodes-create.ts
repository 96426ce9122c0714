import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withNodes } from './nodes/setting.ts'
import { median, p95, type Row, row } from './row.ts'
import type { BenchService } from './service.ts'
import { timed } from './timed.ts'

const creates = 40
/** Longer than it takes to destroy a machine. */
const destroyMs = 200
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
      direct.push(await createTime(service, organization.href, front))
      forwarded.push(await createTime(service, front, organization.href))
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
 * overlap. Both processes are asked for its status meanwhile, so that neither has been idle when the next create comes.
 */
async function createTime({ client, headers }: BenchService, url: string, other: string): Promise<number> {
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
  const isPending = async (sandboxes: string) =>
    JSON.parse(await (await fetch(`${sandboxes}/${id}/status`, { headers })).text()).status === 'PENDING'
  while ((await isPending(url)) || (await isPending(other)))
    await new Promise(resolve => setTimeout(resolve, 5))
  await client.deleteSandbox({ sandboxId: id })
  // The machine is destroyed in the background, which would delay the next create by chance.
  await new Promise(resolve => setTimeout(resolve, destroyMs))
  return ms
}
