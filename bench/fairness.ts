import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { median, p95, type Row, row } from './row.ts'
import { type BenchService, withService } from './service.ts'
import { timed } from './timed.ts'

const connections = 64
const reads = 200
/** The load starts a moment before the first read counts, and ends after the last. */
const warmUpReads = 20

interface Organization {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** What the refused creates of one organization cost the reads of another, compared with none. */
export default (): Promise<Row[]> =>
  withService({}, async service => {
    const operator = await operatorOf(service)
    await operator('POST', '/plans', {
      name: 'full',
      tier: 0,
      concurrentSandboxes: 0,
      machineImages: null,
    })
    const [reader, refused] = await Promise.all([
      organization(service, operator, {}),
      organization(service, operator, { plan: 'full' }),
    ])
    const quiet = await readTimes(reader)
    const load = autocannon(
      {
        url: `${refused.url}/sandboxes`,
        method: 'POST',
        headers: { ...refused.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ shapeName: 'bench' }),
        connections,
        duration: 600,
      },
      () => {},
    )
    const ended = once(load, 'done')
    const loaded = await readTimes(reader)
    load.stop()
    const [{ requests }] = await ended
    const name = `another organization's read, beside ${connections} connections of refused creates`
    return [
      row(`${name} p50, beside without`, 'ms', median(loaded), median(quiet)),
      row(`${name} p95, beside without`, 'ms', p95(loaded), p95(quiet)),
      row('refused creates meanwhile', 'requests/s', requests.average),
    ]
  })

async function readTimes({ url, headers }: Organization): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < warmUpReads + reads; i++)
    times.push(
      await timed(async () => {
        const answer = await fetch(`${url}/projects`, { headers })
        await answer.arrayBuffer()
        if (!answer.ok) throw new Error(`a read was answered with ${answer.status}`)
      }),
    )
  return times.slice(warmUpReads)
}

type Operator = (method: string, path: string, body: object) => Promise<unknown>

async function operatorOf({ folder, url }: BenchService): Promise<Operator> {
  const { operatorKey } = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8'))
  return async (method, path, body) => {
    const answer = await fetch(`${url}/api/operator${path}`, {
      method,
      headers: { 'x-api-key': operatorKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
}

async function organization(
  { url }: BenchService,
  operator: Operator,
  choices: object,
): Promise<Organization> {
  const made = (await operator('POST', '/organizations', { name: 'bench', ...choices })) as {
    readonly organization: { readonly id: string }
    readonly ownerKey: { readonly apiKey: string }
  }
  return {
    url: `${url}/api/orgs/${made.organization.id}`,
    headers: { 'x-api-key': made.ownerKey.apiKey },
  }
}
