import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { settle } from '../packages/machines/src/engines/local/index.ts'
import { buildImage } from '../packages/machines/src/images/index.ts'
import type { Load } from './load.ts'
import { installNginx, Nginx } from './rivals/nginx.ts'
import { median, type Row, row } from './row.ts'
import { type BenchService, imagesDir, withService } from './service.ts'

const rounds = 5
const seconds = 4
const [originPort, rivalPort] = [3000, 3001]

/** A page of 1 KiB, served by nginx in the machine's network. */
const origin = `server { listen 127.0.0.1:${originPort}; location / { default_type text/plain; return 200 "${'x'.repeat(1024)}"; } }`
/** An nginx proxy in front of it that keeps connections alive as ours does. */
const rival = `upstream origin { server 127.0.0.1:${originPort}; keepalive 64; keepalive_requests 1000000000; }
  server { listen 127.0.0.1:${rivalPort}; location / { proxy_pass http://origin; proxy_http_version 1.1;
  proxy_set_header Connection ""; proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr; } }`

/** Requests through a mapped port, compared with nginx as a proxy to the same server, alternating in the same run. */
export default async function bench(): Promise<Row[]> {
  await installNginx()
  await buildImage('minimal', { imagesDir, onProgress: console.error })
  return withService({ shapes: [{ memoryMiB: 512, diskMiB: 512, pids: 256 }] }, async service => {
    const { runDir } = settle({ dataDir: join(service.folder, 'local'), imagesDir, uplink: 'none' })
    const { ours, pid } = await mapped(service, runDir)
    const origins = await Nginx.start(service.folder, 'origin', pid, origin)
    try {
      const rivals = await Nginx.start(service.folder, 'rival', pid, rival)
      try {
        return await compare(ours, { url: `http://127.0.0.1:${rivalPort}/`, headers: [], netnsOf: pid })
      } finally {
        await rivals.stop()
      }
    } finally {
      await origins.stop()
    }
  })
}

interface Target {
  readonly url: string
  readonly headers: readonly string[]
  /** The process whose network namespace the load comes from. */
  readonly netnsOf: number
}

/** A sandbox with a mapping, and the process through which its network is entered. */
async function mapped(service: BenchService, runDir: string): Promise<{ ours: Target; pid: number }> {
  const { url, id: sandboxId } = await service.create()
  const { domain, accessToken } = await service.client.createHttpMapping({
    sandboxId,
    body: { targetEndpoint: `127.0.0.1:${originPort}` },
  })
  const [machine = ''] = await readdir(join(runDir, 'm'))
  const headers = [`Host=${domain}`, `X-Sandglass-Mapping-Token=${accessToken}`]
  const pid = Number(await readFile(join(runDir, 'm', machine, 'pid'), 'utf8'))
  return { ours: { url: new URL(url).origin, headers, netnsOf: process.pid }, pid }
}

async function compare(ours: Target, theirs: Target): Promise<Row[]> {
  const [own, rivals]: [Load[], Load[]] = [[], []]
  for (let round = -1; round < rounds; round++) {
    const [mine, other] = [await load(ours), await load(theirs)]
    if (round < 0) continue
    own.push(mine)
    rivals.push(other)
  }
  const figure = (loads: readonly Load[], key: keyof Load) => median(loads.map(one => one[key]))
  return (
    [
      ['mapped requests, beside nginx', 'requests/s', 'requestsPerSecond'],
      ['mapped requests p99, beside nginx', 'ms', 'p99Ms'],
    ] as const
  ).map(([name, unit, key]) => row(name, unit, figure(own, key), figure(rivals, key)))
}

/** Bounded load on loopback from within a network namespace; every response must be a 200. */
async function load({ url, headers, netnsOf }: Target): Promise<Load> {
  const autocannon = createRequire(import.meta.url).resolve('autocannon/autocannon.js')
  const args = ['--json', '--connections', '64', '--duration', String(seconds)]
  const child = spawn(
    'nsenter',
    [
      `--net=/proc/${netnsOf}/ns/net`,
      process.execPath,
      autocannon,
      ...args,
      ...headers.flatMap(header => ['--headers', header]),
      url,
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const [result] = await Promise.all([json(child.stdout) as Promise<Result>, once(child, 'exit')])
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} answers were no success, ${result.errors} failed`)
  return { requestsPerSecond: result.requests.average, p99Ms: result.latency.p99 }
}

interface Result {
  readonly non2xx: number
  readonly errors: number
  readonly requests: { readonly average: number }
  readonly latency: { readonly p99: number }
}
