import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'

export interface Load {
  readonly requestsPerSecond: number
  readonly p99Ms: number
}

/** How long a server that starts may print nothing, on a machine that does other work too. */
const silentMs = 300_000

/**
 * Starts a server in its own process, so that the load generator has the other core, and in another network namespace if one is
 * given.
 */
export async function serverProcess(
  file: string,
  env: Record<string, string>,
  isReady: (printed: string) => boolean,
  netns?: string,
): Promise<{ child: ChildProcess; printed: () => string; stop: () => Promise<void> }> {
  const path = new URL(file, import.meta.url).pathname
  // nsenter becomes the program that it starts, so the process id is that of the server.
  const entered = netns === undefined ? [] : ['nsenter', `--net=${netns}`]
  const [command = '', ...args] = [...entered, process.execPath, path]
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaints = ''
  child.stderr.on('data', chunk => {
    complaints = `${complaints}${chunk}`.slice(-4000)
  })
  const closed = once(child, 'close')
  const ended = closed.then(() => {
    throw new Error(`the server ended: ${complaints}`)
  })
  // It also ends when it is stopped.
  ended.catch(() => {})
  const stop = async () => {
    child.kill('SIGTERM')
    await closed
  }
  let printed = ''
  try {
    while (!isReady(printed)) {
      const chunks = once(child.stdout, 'data', { signal: AbortSignal.timeout(silentMs) })
      const [chunk] = await Promise.race([chunks, ended])
      printed += chunk
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { child, printed: () => printed, stop }
}

/**
 * Bounded load on one of our servers on loopback, with GET or with POST of each body in turn; every response must be
 * a 200.
 */
export async function load(
  url: string,
  headers: Record<string, string>,
  seconds: number,
  bodies: readonly string[] = [],
): Promise<Load> {
  const requests = bodies.map(body => ({
    method: 'POST' as const,
    body,
    headers: { ...headers, 'content-type': 'application/json' },
  }))
  const posting = requests.length > 0 ? { requests } : {}
  const result = await autocannon({ url, headers, connections: 64, duration: seconds, ...posting })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} answers were no success, ${result.errors} failed`)
  return { requestsPerSecond: result.requests.average, p99Ms: result.latency.p99 }
}
