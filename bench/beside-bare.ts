import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Load, load, serverProcess } from './load.ts'
import { median, type Row, row } from './row.ts'

/** Many short rounds, since on a shared machine a long one may fall into an unusual period. */
const rounds = 15
const seconds = 2

/** Requests by GET, or by POST with each of its bodies in turn. */
export interface Asked {
  readonly name: string
  readonly path: string
  readonly bodies?: readonly string[]
}

/**
 * Our service, with an authenticated and rate-limited caller, compared with a bare Fastify that returns the same
 * responses.
 */
export async function besideBare(asking: (orgId: string) => readonly Asked[]): Promise<Row[]> {
  const data = await mkdtemp(join(tmpdir(), 'sandglass-bench-'))
  const ours = await serverProcess(
    '../packages/server/src/main.ts',
    // Without machines, since building their image would use the core that is measured.
    {
      SANDGLASS_DATA: data,
      SANDGLASS_PORT: '0',
      SANDGLASS_RATE_LIMIT: '1000000000',
      SANDGLASS_MACHINES: 'none',
    },
    printed => printed.includes('Try it:'),
  )
  try {
    const { url, orgId, apiKey } = JSON.parse(await readFile(join(data, 'credentials.json'), 'utf8'))
    const headers = { 'x-api-key': apiKey }
    const all = asking(orgId)
    const constants: Record<string, string[]> = {}
    for (const asked of all) constants[asked.path] = await answers(url, headers, asked)
    const bare = await serverProcess(
      'rivals/bare-fastify.ts',
      { CONSTANTS: JSON.stringify(constants) },
      printed => printed.includes('http://'),
    )
    try {
      const rows: Row[] = []
      for (const asked of all) rows.push(...(await compare(asked, headers, url, bare.printed().trim())))
      return rows
    } finally {
      await bare.stop()
    }
  } finally {
    await ours.stop()
    await rm(data, { recursive: true })
  }
}

async function answers(
  url: string,
  headers: Record<string, string>,
  { path, bodies }: Asked,
): Promise<string[]> {
  const json = { ...headers, 'content-type': 'application/json' }
  const requests = bodies?.map(body => ({ method: 'POST', headers: json, body })) ?? [{ headers }]
  return Promise.all(requests.map(request => fetch(url + path, request).then(answer => answer.text())))
}

async function compare(
  { name, path, bodies }: Asked,
  headers: Record<string, string>,
  ours: string,
  bare: string,
): Promise<Row[]> {
  const own: Load[] = []
  const rival: Load[] = []
  await load(ours + path, headers, seconds, bodies)
  await load(bare + path, headers, seconds, bodies)
  for (let round = 0; round < rounds; round++) {
    own.push(await load(ours + path, headers, seconds, bodies))
    rival.push(await load(bare + path, headers, seconds, bodies))
  }
  const figure = (loads: readonly Load[], key: keyof Load) => median(loads.map(one => one[key]))
  return [
    row(
      `${name}, beside bare Fastify`,
      'requests/s',
      figure(own, 'requestsPerSecond'),
      figure(rival, 'requestsPerSecond'),
    ),
    row(`${name} p99, beside bare Fastify`, 'ms', figure(own, 'p99Ms'), figure(rival, 'p99Ms')),
  ]
}
