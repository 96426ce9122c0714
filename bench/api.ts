import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Load, load, serverProcess } from './load.ts'
import { median, type Row, row } from './row.ts'

const rounds = 3
const seconds = 4

/** Authenticated, rate-limited, true answers beside a bare Fastify route with a constant of the same size. */
export default async function bench(): Promise<Row[]> {
  const data = await mkdtemp(join(tmpdir(), 'sandglass-bench-'))
  const ours = await serverProcess(
    '../packages/server/src/main.ts',
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
    const paths = { stats: `/api/orgs/${orgId}/stats`, projects: `/api/orgs/${orgId}/projects` }
    const constants: Record<string, string[]> = {}
    for (const path of Object.values(paths))
      constants[path] = [await fetch(url + path, { headers }).then(answer => answer.text())]
    const bare = await serverProcess(
      'rivals/bare-fastify.ts',
      { CONSTANTS: JSON.stringify(constants) },
      printed => printed.includes('http://'),
    )
    try {
      const rows: Row[] = []
      for (const [name, path] of Object.entries(paths))
        rows.push(...(await compare(name, url + path, headers, bare.printed().trim() + path)))
      return rows
    } finally {
      await bare.stop()
    }
  } finally {
    await ours.stop()
    await rm(data, { recursive: true })
  }
}

async function compare(
  name: string,
  ours: string,
  headers: Record<string, string>,
  bare: string,
): Promise<Row[]> {
  const own: Load[] = []
  const rival: Load[] = []
  await load(ours, headers, 1)
  await load(bare, {}, 1)
  for (let round = 0; round < rounds; round++) {
    own.push(await load(ours, headers, seconds))
    rival.push(await load(bare, {}, seconds))
  }
  const figure = (loads: readonly Load[], key: keyof Load) => median(loads.map(one => one[key]))
  return [
    row(
      `GET ${name}, beside bare Fastify`,
      'requests/s',
      figure(own, 'requestsPerSecond'),
      figure(rival, 'requestsPerSecond'),
    ),
    row(`GET ${name} p99, beside bare Fastify`, 'ms', figure(own, 'p99Ms'), figure(rival, 'p99Ms')),
  ]
}
