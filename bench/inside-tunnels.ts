import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { settle } from '../packages/machines/src/engines/local/index.ts'
import { buildImage } from '../packages/machines/src/images/index.ts'
import type { TunnelLoad } from './rivals/tunnel-load.ts'
import { median, type Row, row } from './row.ts'
import { imagesDir, withService } from './service.ts'

const rounds = 5

/** A tunnel to a port, compared with a bare TCP proxy in front of the same program, alternating in the same run. */
export default async function bench(): Promise<Row[]> {
  await buildImage('minimal', { imagesDir, onProgress: console.error })
  return withService({ shapes: [{ memoryMiB: 512, diskMiB: 512, pids: 256 }] }, async service => {
    const { runDir } = settle({ dataDir: join(service.folder, 'local'), imagesDir, uplink: 'none' })
    const { url, headers } = await service.create()
    const [machine = ''] = await readdir(join(runDir, 'm'))
    const pid = Number(await readFile(join(runDir, 'm', machine, 'pid'), 'utf8'))
    const children: ChildProcess[] = []
    try {
      children.push(await listening(pid), await listening(pid, 'proxy'))
      return await compare(
        () => load(process.pid, `${url.replace(/^http/, 'ws')}/tunnel`, headers['x-api-key'] ?? ''),
        () => load(pid),
      )
    } finally {
      for (const child of children) child.kill()
    }
  })
}

async function compare(ours: () => Promise<TunnelLoad>, theirs: () => Promise<TunnelLoad>): Promise<Row[]> {
  const [own, rivals]: [TunnelLoad[], TunnelLoad[]] = [[], []]
  for (let round = -1; round < rounds; round++) {
    const [mine, other] = [await ours(), await theirs()]
    if (round < 0) continue
    own.push(mine)
    rivals.push(other)
  }
  const figure = (loads: readonly TunnelLoad[], key: keyof TunnelLoad) => median(loads.map(one => one[key]))
  return (
    [
      ['a tunnel into a machine, beside a bare TCP proxy', 'MB/s', 'inMBs'],
      ['a tunnel out of a machine, beside a bare TCP proxy', 'MB/s', 'outMBs'],
      ['a round trip through a tunnel p50, beside a bare TCP proxy', 'ms', 'roundTripMs'],
      ['a round trip through a tunnel p99, beside a bare TCP proxy', 'ms', 'roundTripP99Ms'],
    ] as const
  ).map(([name, unit, key]) => row(name, unit, figure(own, key), figure(rivals, key)))
}

/** Starts a script of rivals/ in the network of a process. */
function script(netnsOf: number, name: string, args: readonly string[]): ChildProcess {
  const file = new URL(`rivals/${name}`, import.meta.url).pathname
  return spawn('nsenter', [`--net=/proc/${netnsOf}/ns/net`, process.execPath, file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function listening(netnsOf: number, ...args: readonly string[]): Promise<ChildProcess> {
  const child = script(netnsOf, 'tcp-programs.ts', args)
  if (child.stdout) await once(child.stdout, 'data')
  return child
}

async function load(netnsOf: number, ...args: readonly string[]): Promise<TunnelLoad> {
  const child = script(netnsOf, 'tunnel-load.ts', args)
  if (!child.stdout) throw new Error('no output')
  return (await json(child.stdout)) as TunnelLoad
}
