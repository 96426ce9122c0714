import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Supervised } from '@sandglass/supervision'
import type { Certificate } from '../../certificate/certificate.ts'
import { runDeno } from './deno.ts'
import { type Limits, listening, type RelayConfig, retire } from './relay/relay-config.ts'

/** Receives warnings for the log. */
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

/** How long a relay may take until it listens. */
const startTimeoutMs = 30_000

interface Running {
  readonly child: ChildProcess
  readonly port: number
  readonly exited: Promise<string>
}

/** The relay of one certificate at one port. It is restarted at the same port whenever it exits. */
export class RelayProcess {
  readonly #options: RelayOptions
  readonly #relays: Supervised<Running>
  #port: number
  #last: Running | undefined
  #isRetired = false

  private constructor(options: RelayOptions) {
    this.#options = options
    this.#port = options.port
    this.#relays = new Supervised({
      open: () => this.#start(),
      ended: relay => relay.exited,
      close: ({ child }) => void (this.#isRetired ? child.stdin?.write(`${retire}\n`) : child.stdin?.end()),
      backoff: { steadyMs: 60_000 },
      onFailure: failure => failure && options.reports.warn(String(failure.reason)),
    })
  }

  static async start(options: RelayOptions): Promise<RelayProcess> {
    const relay = new RelayProcess(options)
    try {
      await relay.#relays.get()
    } catch (error) {
      relay.#relays.close()
      throw error
    }
    relay.#relays.hold()
    return relay
  }

  /** The port on which it listens; undefined while it does not. */
  get port(): number | undefined {
    return this.#relays.current?.port
  }

  get pid(): number | undefined {
    return this.#relays.current?.child.pid
  }

  /** Stops accepting peers and exits with the last one. */
  retire(): void {
    this.#isRetired = true
    this.#relays.close()
  }

  async close(): Promise<void> {
    this.#relays.close()
    this.#last?.child.stdin?.end()
    await this.#last?.exited
  }

  async #start(): Promise<Running> {
    const { host, folder, binary, certificate, limits, reports } = this.#options
    const child = runDeno({ binary, folder, program: 'main.ts', host, port: this.#port })
    const config: RelayConfig = {
      hostname: host,
      port: this.#port,
      limits,
      key: certificate.key,
      cert: certificate.cert,
    }
    child.stdin?.on('error', () => {}).write(`${JSON.stringify(config)}\n`)
    const stderrLines = lastLines(child)
    const bound = Promise.withResolvers<number>()
    if (child.stdout)
      createInterface({ input: child.stdout }).on('line', line => {
        const said = listening.exec(line)?.[1]
        if (said) bound.resolve(Number(said))
      })
    child.once('error', bound.reject)
    const exited = new Promise<string>(resolve =>
      child.once('exit', (code, signal) => resolve(`the QUIC relay ended by itself with ${code ?? signal}`)),
    )
    const late = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs)
    void exited.then(how => bound.reject(new Error(`${how}, stderr: ${stderrLines.join(' ') || 'nothing'}`)))
    this.#port = await bound.promise.finally(() => clearTimeout(late))
    const running = { child, port: this.#port, exited }
    this.#last = running
    void exited.then(how => {
      if (this.#relays.current === running) reports.warn(`${how}; starting it again`)
    })
    return running
  }
}

/** The last lines of its standard error, updated as they arrive. */
function lastLines(child: ChildProcess): string[] {
  const lines: string[] = []
  if (child.stderr)
    createInterface({ input: child.stderr }).on('line', line => {
      lines.push(line)
      if (lines.length > 10) lines.shift()
    })
  return lines
}
