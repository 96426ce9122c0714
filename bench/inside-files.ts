import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { glob, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { buildImage } from '@sandglass/machines/images'
import type { FileLocation } from '@sandglass/protocol'
import { frontOf } from '../test/support/host-processes.ts'
import { median, type Row, row } from './row.ts'
import { type BenchSandbox, type BenchService, imagesDir, withService } from './service.ts'

const rounds = 5
const mebibytes = 1024
const run = promisify(execFile)

/**
 * A file written and read, compared with `cp` of the same file into and out of the same folder, alternating in the
 * same run. Writes are on disk before they are acknowledged, so `cp` is followed by a sync of the copy.
 */
export default async function bench(): Promise<Row[]> {
  await buildImage('minimal', { imagesDir, onProgress: console.error })
  // The size of the smaller shapes that come with the service.
  const shapes = [{ memoryMiB: 2048, diskMiB: 8192, pids: 512 }]
  return withService({ shapes, env: { SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.1/32' } }, async service =>
    rows(service, await service.create()),
  )
}

async function rows({ folder, pid }: BenchService, sandbox: BenchSandbox): Promise<Row[]> {
  const file = join(folder, 'file')
  const back = join(folder, 'back')
  await run('dd', ['if=/dev/urandom', `of=${file}`, 'bs=1M', `count=${mebibytes}`])
  const home = await homeOf(sandbox)
  const store = await storeOf(file, back)
  const memory = new Memory(await frontOf(pid))
  const speeds = new Map<string, number[]>()
  const measure = async (name: string, made: string, work: () => Promise<unknown>) => {
    await rm(made, { force: true })
    await run('sync')
    const start = performance.now()
    await work()
    const speed = mebibytes / ((performance.now() - start) / 1000)
    speeds.set(name, [...(speeds.get(name) ?? []), speed])
    await run('cmp', [file, made])
  }
  await memory.watch(async () => {
    for (let round = 0; round < rounds; round++) {
      await measure('in', join(home, 'file'), () => curl(sandbox, '-T', file))
      await measure('cp in', join(home, 'by-cp'), () => cpAndSync(file, join(home, 'by-cp')))
      await measure('cp out', back, () => run('cp', [join(home, 'by-cp'), back]))
      await measure('out', back, () => curl(sandbox, '-o', back))
      await measure('copy in', join(home, 'fetched'), () => copy(sandbox, get(store.url), inside('fetched')))
      await measure('copy out', back, () => copy(sandbox, inside('fetched'), put(store.url)))
    }
  })
  store.close()
  const of = (name: string) => median(speeds.get(name) ?? [])
  const size = `${mebibytes} MiB`
  return [
    row(`${size} into a sandbox over HTTP, beside cp and sync`, 'MiB/s', of('in'), of('cp in')),
    row(`${size} out of a sandbox over HTTP, beside cp`, 'MiB/s', of('out'), of('cp out')),
    row(`${size} into a sandbox from a URL, beside cp and sync`, 'MiB/s', of('copy in'), of('cp in')),
    row(`${size} out of a sandbox to a URL, beside cp`, 'MiB/s', of('copy out'), of('cp out')),
    row(`memory of the service above its start while ${size} go in and out`, 'MiB', memory.most),
  ]
}

async function cpAndSync(from: string, to: string): Promise<void> {
  await run('cp', [from, to])
  await run('sync', [to])
}

async function curl({ url, headers }: BenchSandbox, ...args: string[]): Promise<void> {
  const sent = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  await run('curl', ['-sSf', ...sent, ...args, `${url}/files/content?path=file`])
}

const inside = (path: string): FileLocation => ({ type: 'sandboxFileLocation', path })
const get = (url: string): FileLocation => ({ type: 'httpGetLocation', url })
const put = (url: string): FileLocation => ({ type: 'httpPutLocation', url })

async function copy({ client, id }: BenchSandbox, src: FileLocation, dest: FileLocation): Promise<void> {
  const { results } = await client.copyFilesWithSandbox({ sandboxId: id, body: { files: [{ src, dest }] } })
  if (!results[0]?.success) throw new Error(results[0]?.error)
}

/** A server that serves one file and receives another. */
async function storeOf(given: string, taken: string): Promise<{ url: string; close: () => void }> {
  const large = { highWaterMark: 2 ** 20 }
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.setHeader('content-length', mebibytes * 2 ** 20)
      await pipeline(createReadStream(given, large), response)
    } else {
      await pipeline(request, createWriteStream(taken, large))
      response.end()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`
  return { url, close: () => server.close() }
}

/** The path of the sandbox user's home on the host. */
async function homeOf({ url, headers }: BenchSandbox): Promise<string> {
  const marker = `bench-${process.pid}-${Date.now()}`
  await fetch(`${url}/files/content?path=${marker}`, { method: 'PUT', headers, body: '' })
  for await (const path of glob(`/run/sandglass/*/m/*/rootfs/home/user/${marker}`)) return dirname(path)
  throw new Error('the home of the sandbox was not found on the host')
}

/** The peak memory of a process above its initial memory. */
class Memory {
  readonly #pid: number
  #most = 0

  constructor(pid: number) {
    this.#pid = pid
  }

  get most(): number {
    return this.#most
  }

  async watch(work: () => Promise<void>): Promise<void> {
    const before = await this.#resident()
    const look = async () => {
      this.#most = Math.max(this.#most, (await this.#resident()) - before)
    }
    const timer = setInterval(() => void look(), 50)
    await work().finally(() => clearInterval(timer))
  }

  async #resident(): Promise<number> {
    const status = await readFile(`/proc/${this.#pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
  }
}
