import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { patienceMs } from '@sandglass/machines/testing'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { copyCluster } from '../../packages/server/src/testing/copy-cluster.ts'

const here = resolve(import.meta.dirname, '../..')

export interface Credentials {
  readonly url: string
  readonly orgId: string
  readonly apiKey: string
  readonly operatorKey: string
}

/** A temporary folder of the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-process-'))
  // The database of a killed service still writes while it shuts down.
  cleanup.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }))
  return folder
}

/** The service in its own process, as `npm start` runs it. */
export class ServiceProcess {
  readonly #child: ChildProcess
  readonly #data: string
  readonly #exited: Promise<unknown>
  readonly #closed: Promise<unknown>
  #printed = ''

  private constructor(
    data: string,
    env: Record<string, string>,
    netns: string | undefined,
    checkout: string,
  ) {
    this.#data = data
    // nsenter becomes the program that it starts, so the process id is that of the service.
    const entered = netns === undefined ? [] : ['nsenter', `--net=${netns}`]
    const node = checkout === here ? process.execPath : join(checkout, 'node_modules/.bin/node')
    const [command = '', ...args] = [...entered, node, join(checkout, 'packages/server/src/main.ts')]
    this.#child = spawn(command, args, {
      env: {
        PATH: process.env['PATH'] ?? '',
        // Compiled code is shared with the other processes of the test run.
        ...(process.env['NODE_COMPILE_CACHE'] && { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }),
        SANDGLASS_DATA: data,
        SANDGLASS_PORT: '0',
        SANDGLASS_LIVE_UDP_PORT: 'none',
        SANDGLASS_MACHINES: 'none',
        // A test that needs virtual machines says so.
        SANDGLASS_VMS: 'off',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', chunk => {
        this.#printed += chunk
      })
    this.#exited = once(this.#child, 'exit')
    this.#closed = once(this.#child, 'close')
    cleanup.defer(() => this.kill())
  }

  /**
   * Starts the service, in this network namespace if one is given, and waits until it prints its greeting or exits. Another
   * checkout has another version of it.
   */
  static async start(
    data: string,
    env: Record<string, string> = {},
    netns?: string,
    checkout = here,
  ): Promise<ServiceProcess> {
    if (env['DATABASE_URL'] === undefined && checkout === here) await copyCluster(join(data, 'postgres'))
    const started = new ServiceProcess(data, env, netns, checkout)
    await Promise.race([started.exit(), started.#greeting()])
    return started
  }

  /** Everything that it has printed so far. */
  get printed(): string {
    return this.#printed
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  async credentials(): Promise<Credentials> {
    // A service that did not start says why.
    const text = await readFile(join(this.#data, 'credentials.json'), 'utf8').catch(cause => {
      throw new Error(`it has written no credentials, and printed: ${this.#printed}`, { cause })
    })
    return JSON.parse(text)
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Resolves with the exit code. */
  async exit(): Promise<number | null> {
    await this.#exited
    return this.#child.exitCode
  }

  /** Returns everything that a service has printed which refuses to start. The last of it may arrive after the exit. */
  async refusal(): Promise<string> {
    await this.#closed
    assert.equal(this.#child.exitCode, 1, this.#printed)
    return this.#printed
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.exit()
  }

  async #greeting(): Promise<void> {
    const late = AbortSignal.timeout(patienceMs)
    while (!this.#printed.includes('Try it:'))
      await once(this.#child.stdout ?? this.#child, 'data', { signal: late }).catch(cause => {
        throw new Error(`it did not start, and printed: ${this.#printed}`, { cause })
      })
  }
}

/** Calls the service with a key; status 0 means that there was no response. */
export async function call(
  { url, orgId, apiKey }: Credentials,
  method: string,
  path: string,
  body?: unknown,
  key: string = apiKey,
) {
  const headers = { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) }
  try {
    const response = await fetch(`${url}${path.replace(/^~/, `/api/orgs/${orgId}`)}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text ? JSON.parse(text) : undefined }
  } catch {
    return { status: 0, body: undefined }
  }
}

/** Deletes something that is there. Fails with the answer if it is refused, which a later assertion could not explain. */
export async function remove(credentials: Credentials, path: string): Promise<void> {
  const { status, body } = await call(credentials, 'DELETE', path)
  assert.ok(
    status === 200 || status === 204,
    `DELETE ${path} was answered with ${status} ${JSON.stringify(body)}`,
  )
}
