import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { buildImage } from '@sandglass/machines/images'
import { installMissing, LocalEngine, type LocalEngineOptions, settle } from '@sandglass/machines/local'
import { freePort } from '@sandglass/machines/testing'
import type { Credentials } from '../support/service-process.ts'
import { shapesOf } from './shapes.ts'

const main = new URL('../../packages/server/src/main.ts', import.meta.url).pathname
const collectGarbage = new URL('../support/collect-garbage.ts', import.meta.url).href
const imagesDir = process.env['SANDGLASS_TEST_IMAGES'] ?? join(import.meta.dirname, '../../data/images')

/** Longer than a start takes on a box that is busy with other work. */
const startMs = 300_000
const stopMs = 60_000
/** How long an init system waits before it starts a service again. */
const restartMs = 1000

/**
 * Limits that a run of an hour reaches, so that it shows whether what is bounded stays within its bound. The intervals at which
 * the service removes what is too old or too much are those of every installation.
 */
export const smallBounds = {
  SANDGLASS_EVENTS: '1500',
  SANDGLASS_ACTIONS: '1500',
  SANDGLASS_SCREENSHOTS_PER_SANDBOX: '4',
  SANDGLASS_SCREENSHOTS_PER_ORGANIZATION: '16',
  SANDGLASS_SCREENSHOTS_PER_NODE: '64',
}

/** A service in its own processes with a data directory of its own, as an operator runs it. */
export class SoakedService {
  readonly folder: string
  readonly data: string
  readonly engine: LocalEngineOptions
  readonly #env: Readonly<Record<string, string>>
  readonly #log: WriteStream
  #child: ChildProcess | undefined
  #credentials: Credentials | undefined
  #isStopping = false
  /** What it printed when it was started again after a fault and refused to start. */
  readonly failedStarts: string[] = []

  private constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.folder = folder
    this.data = join(folder, 'data')
    this.#env = { ...env, SANDGLASS_DATA: this.data }
    // On a full disk the log ends, and the run goes on.
    this.#log = createWriteStream(this.logFile).on('error', () => {})
    this.engine = { dataDir: join(this.data, 'local'), imagesDir, uplink: 'none' }
  }

  /** Everything that it has printed. */
  get logFile(): string {
    return `${this.folder}.log`
  }

  /** Everything that was measured, a line of JSON per sample. */
  get samplesFile(): string {
    return `${this.folder}.samples`
  }

  static async start(desktops: number): Promise<SoakedService> {
    await installMissing()
    for (const image of desktops > 0 ? ['minimal', 'desktop'] : ['minimal'])
      await buildImage(image, { imagesDir })
    const folder = await mkdtemp(join(tmpdir(), 'sandglass-soak-'))
    const shapes = join(folder, 'shapes.json')
    await writeFile(shapes, JSON.stringify({ shapes: shapesOf(desktops) }))
    const service = new SoakedService(folder, {
      PATH: process.env['PATH'] ?? '',
      // The memory that is in use is measured, without what V8 has not collected yet.
      NODE_OPTIONS: `--import=${collectGarbage}`,
      SANDGLASS_PORT: String(await freePort()),
      SANDGLASS_LIVE_UDP_PORT: 'none',
      SANDGLASS_VMS: 'off',
      SANDGLASS_UPLINK: 'none',
      SANDGLASS_START_TIMEOUT: '120',
      SANDGLASS_IMAGES: imagesDir,
      SANDGLASS_SHAPES: shapes,
      SANDGLASS_RATE_LIMIT: '1000000',
      SANDGLASS_ORGANIZATION_SHARE: '100',
      // The endpoint of the webhook is on this host.
      SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.1/32',
      ...smallBounds,
    })
    try {
      await service.#launch()
    } catch (error) {
      await service.dispose()
      throw error
    }
    return service
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  get credentials(): Credentials {
    if (!this.#credentials) throw new TypeError('The service has not started.')
    return this.#credentials
  }

  get settings() {
    return settle(this.engine)
  }

  /**
   * Starts it again whenever it ends, and until it runs, as the init system of a host would, until the signal is aborted. A service that
   * never starts shows in every call that fails.
   */
  async keepRunning(signal: AbortSignal): Promise<void> {
    const aborted = signal.aborted ? Promise.resolve() : once(signal, 'abort')
    while (!signal.aborted && !this.#isStopping) {
      await Promise.race([this.#ended(), aborted])
      if (signal.aborted || this.#isStopping) return
      await this.#launch().catch((error: Error) => {
        this.failedStarts.push(error.message)
      })
      await Promise.race([pause(restartMs, undefined, { ref: false }), aborted])
    }
  }

  /** Ends it as an operator does. Resolves with whether it had to be killed. */
  async stop(): Promise<boolean> {
    this.#isStopping = true
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return false
    child.kill('SIGTERM')
    const late = new AbortController()
    const isKilled = await Promise.race([
      this.#ended().then(() => false),
      pause(stopMs, true, { signal: late.signal }).catch(() => false),
    ])
    late.abort()
    if (isKilled) child.kill('SIGKILL')
    await this.#ended()
    return isKilled
  }

  /** Removes its machines and its folder. The log is kept, because it says what happened. */
  async dispose(): Promise<void> {
    await this.stop()
    await new LocalEngine(this.engine).dismantle()
    await rm(this.folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })
    this.#log.end()
  }

  async #ended(): Promise<void> {
    const child = this.#child
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }

  async #launch(): Promise<void> {
    const child = spawn(process.execPath, [main], {
      env: { ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C in a terminal goes to a whole group of processes, and the service is stopped in order instead.
      detached: true,
    })
    this.#child = child
    child.stdout.pipe(this.#log, { end: false })
    child.stderr.pipe(this.#log, { end: false })
    let printed = ''
    const ready = Promise.withResolvers<void>()
    const take = (chunk: Buffer) => {
      if (printed.includes('Try it:')) return
      printed += chunk
      if (printed.includes('Try it:')) ready.resolve()
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    const late = new AbortController()
    await Promise.race([
      ready.promise,
      // The last of what it prints may arrive after its exit.
      once(child, 'close').then(() => {
        throw new Error(`the service ended while it started: ${printed.slice(-1000)}`)
      }),
      pause(startMs, undefined, { signal: late.signal }).then(() => {
        throw new Error(`the service did not start within ${startMs / 1000} s; see ${this.logFile}`)
      }),
    ]).finally(() => late.abort())
    this.#credentials = JSON.parse(await readFile(join(this.data, 'credentials.json'), 'utf8'))
  }
}
