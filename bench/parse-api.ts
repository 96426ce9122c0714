import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Load, load, serverProcess } from './load.ts'
import { task } from './model-texts.ts'
import { median, type Row, row } from './row.ts'

const rounds = 5
const seconds = 4
const path = '/api/computer-use/parse/ui-tars'
const bodies = task.map(textContent => JSON.stringify({ textContent }))

/** A model's text parsed for a caller who is known and counted, beside a bare Fastify route that takes the same request. */
export default async function bench(): Promise<Row[]> {
  const data = await mkdtemp(join(tmpdir(), 'sandglass-bench-'))
  const ours = await serverProcess(
    '../packages/server/src/main.ts',
    // Without machines: building their image would take the core that the requests are measured on.
    {
      SANDGLASS_DATA: data,
      SANDGLASS_PORT: '0',
      SANDGLASS_RATE_LIMIT: '1000000000',
      SANDGLASS_MACHINES: 'none',
    },
    printed => printed.includes('Try it:'),
  )
  try {
    const { url, apiKey } = JSON.parse(await readFile(join(data, 'credentials.json'), 'utf8'))
    const headers = { 'x-api-key': apiKey }
    const constants = await answers(url + path, headers)
    const bare = await serverProcess(
      'rivals/bare-fastify.ts',
      { CONSTANTS: JSON.stringify({ [path]: constants }) },
      printed => printed.includes('http://'),
    )
    try {
      return await compare(url + path, headers, bare.printed().trim() + path)
    } finally {
      await bare.stop()
    }
  } finally {
    await ours.stop()
    await rm(data, { recursive: true })
  }
}

/** What the bare route says by turns: what ours answers to the same bodies. */
async function answers(url: string, headers: Record<string, string>): Promise<string[]> {
  const texts: string[] = []
  for (const body of bodies) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    texts.push(await answer.text())
  }
  return texts
}

async function compare(ours: string, headers: Record<string, string>, bare: string): Promise<Row[]> {
  const own: Load[] = []
  const rival: Load[] = []
  await load(ours, headers, 2, bodies)
  await load(bare, headers, 2, bodies)
  for (let round = 0; round < rounds; round++) {
    own.push(await load(ours, headers, seconds, bodies))
    rival.push(await load(bare, headers, seconds, bodies))
  }
  const figure = (loads: readonly Load[], key: keyof Load) => median(loads.map(one => one[key]))
  return [
    row(
      'POST parse, beside bare Fastify',
      'requests/s',
      figure(own, 'requestsPerSecond'),
      figure(rival, 'requestsPerSecond'),
    ),
    row('POST parse p99, beside bare Fastify', 'ms', figure(own, 'p99Ms'), figure(rival, 'p99Ms')),
  ]
}
