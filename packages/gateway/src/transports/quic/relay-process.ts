import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { Certificate } from '../../certificate/certificate.ts'
import { runDeno } from './deno.ts'
import { type Limits, listening, type Orders, retire } from './relay/orders.ts'

/** Told of what goes wrong, to whoever keeps the log. */
export interface Reports {
  warn(message: string): void
}

export interface RelayOptions {
  readonly binary: string
  readonly folder: string
  readonly host: string
  readonly port: number
  readonly certificate: Certificate
  readonly limits: Limits
  readonly reports: Reports
}

/** In which time it has to listen. */
const startMs = 30_000
const longestPauseMs = 30_000
/** One that ran for so long did not fail to start. */
const steadyMs = 60_000

/** The relay of one certificate at one port, started again at the same port whenever it falls. */
export class RelayProcess {
  readonly #options: RelayOptions
  #child: ChildProcess | undefined
  #port = 0
  #isUp = false
  readonly #ending = new AbortController()

  private constructor(options: RelayOptions) {
    this.#options = options
  }

  static async start(options: RelayOptions): Promise<RelayProcess> {
    const relay = new RelayProcess(options)
    await relay.#start(options.port)
    return relay
  }

  /** The port where it answers; undefined while it does not. */
  get port(): number | undefined {
    return this.#isUp ? this.#port : undefined
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Lets it end with the last of its peers. */
  retire(): void {
    this.#ending.abort()
    this.#child?.stdin?.write(`${retire}\n`)
  }

  async close(): Promise<void> {
    this.#ending.abort()
    const child = this.#child
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.stdin?.end()
    await ended
  }

  async #start(port: number): Promise<void> {
    const { host, folder, binary, certificate, limits, reports } = this.#options
    const child = runDeno({ binary, folder, program: 'main.ts', host, port })
    this.#child = child
    const startedAt = Date.now()
    const orders: Orders = {
      ...{ hostname: host, port, limits },
      ...{ key: certificate.key, cert: certificate.cert },
    }
    child.stdin?.on('error', () => {}).write(`${JSON.stringify(orders)}\n`)
    const complaints = lastLines(child)
    const { promise: bound, resolve, reject } = Promise.withResolvers<number>()
    if (child.stdout)
      createInterface({ input: child.stdout }).on('line', line => {
        const said = listening.exec(line)?.[1]
        if (said) resolve(Number(said))
      })
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      const wasUp = this.#isUp
      this.#isUp = false
      const said = complaints.join(' ') || 'nothing'
      reject(new Error(`the QUIC relay ended with ${code ?? signal}, saying: ${said}`))
      if (wasUp && !this.#ending.signal.aborted) {
        reports.warn(`the QUIC relay ended by itself with ${code ?? signal}; starting it again`)
        void this.#startAgain(Date.now() - startedAt)
      }
    })
    const late = setTimeout(() => child.kill('SIGKILL'), startMs)
    this.#port = await bound.finally(() => clearTimeout(late))
    this.#isUp = true
  }

  async #startAgain(ranForMs: number): Promise<void> {
    const { signal } = this.#ending
    for (let pauseMs = ranForMs < steadyMs ? 100 : 0; !signal.aborted; ) {
      await delay(pauseMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      try {
        return await this.#start(this.#port)
      } catch (error) {
        this.#options.reports.warn(String(error))
        pauseMs = Math.min(Math.max(pauseMs * 2, 100), longestPauseMs)
      }
    }
  }
}

/** The last of what it says on its standard error, as it says it. */
function lastLines(child: ChildProcess): string[] {
  const lines: string[] = []
  if (child.stderr)
    createInterface({ input: child.stderr }).on('line', line => {
      lines.push(line)
      if (lines.length > 10) lines.shift()
    })
  return lines
}
