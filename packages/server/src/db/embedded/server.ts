import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Supervised } from '@sandglass/supervision'
import type { DatabaseAddress } from '../address.ts'
import { postgresHome } from './binaries.ts'
import { launch, type Places } from './launch.ts'
import { type DatabaseUser, databaseUser } from './unprivileged.ts'

/** Receives the messages of the embedded server for the log. */
export interface Reports {
  info(message: string): void
  warn(message: string): void
}

/** The path of a unix socket is limited to 107 bytes. This is what remains for the folder. */
const maxFolderBytes = 107 - '/.s.PGSQL.5432'.length

const settings = [
  'listen_addresses=',
  'unix_socket_permissions=0700',
  'max_connections=60',
  'shared_buffers=64MB',
  'jit=off',
  'log_min_messages=warning',
  'log_line_prefix=',
]

/** Returns the address of the server that runs in this folder, for the role that owns its tables unless another one is given. */
export function embeddedAddress(folder: string, user = 'sandglass'): DatabaseAddress {
  return { config: { host: folder, user, database: 'postgres' }, shown: `embedded in ${folder}` }
}

interface Running {
  readonly process: ChildProcess
  readonly exited: Promise<void>
}

/**
 * A PostgreSQL server in a folder that listens only on a unix socket. It ends with the service, and is restarted if
 * it crashes.
 */
export class EmbeddedPostgres {
  readonly #places: Places
  readonly #user: DatabaseUser | undefined
  readonly #reports: Reports
  readonly #servers: Supervised<Running>
  #last: Running | undefined

  private constructor(places: Places, user: DatabaseUser | undefined, reports: Reports) {
    this.#places = places
    this.#user = user
    this.#reports = reports
    this.#servers = new Supervised({
      open: () => this.#start(),
      ended: server => server.exited,
      close: ({ process }) => void process.kill('SIGINT'),
      // After a crash, orphaned backends hold the shared memory for a moment, and PostgreSQL refuses to start until
      // they are gone.
      backoff: { firstMs: 50, maxMs: 2000 },
      onFailure: failure => failure && reports.warn(String(failure.reason)),
    })
  }

  static async start(folder: string, reports: Reports): Promise<EmbeddedPostgres> {
    if (Buffer.byteLength(folder) > maxFolderBytes)
      throw new Error(
        `The data directory's path is too long for a unix socket; keep ${folder} under ${maxFolderBytes} bytes.`,
      )
    const user = await databaseUser(dirname(folder))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    if (user) await chown(folder, user.uid, user.gid)
    const server = new EmbeddedPostgres({ home: postgresHome(), data: folder }, user, reports)
    await server.#initialise()
    try {
      await server.#servers.get()
    } catch (error) {
      server.#servers.close()
      throw error
    }
    server.#servers.hold()
    return server
  }

  async stop(): Promise<void> {
    this.#servers.close()
    await this.#last?.exited
  }

  async #initialise(): Promise<void> {
    if (await stat(join(this.#places.data, 'cluster', 'PG_VERSION')).catch(() => undefined)) return
    this.#reports.info('creating the embedded database')
    // The folder is renamed only when it is complete, so that an interrupted initialisation starts over.
    const script = 'rm -rf cluster cluster.new && "$0" "$@" -D cluster.new && mv cluster.new cluster'
    const child = launch(
      this.#places,
      this.#user,
      ({ home }) => [
        'sh',
        '-c',
        script,
        `${home}/bin/initdb`,
        '--username=sandglass',
        '--auth=trust',
        '--encoding=UTF8',
        '--locale=C',
        '--no-instructions',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    let stderr = ''
    child.stderr?.on('data', chunk => {
      stderr += chunk
    })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`The embedded database could not be created: ${stderr.trim()}`)
  }

  async #start(): Promise<Running> {
    await this.#waitForPredecessor()
    const child = launch(
      this.#places,
      this.#user,
      ({ home, data }) => [
        `${home}/bin/postgres`,
        '-D',
        `${data}/cluster`,
        '-k',
        data,
        ...settings.flatMap(setting => ['-c', setting]),
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const lastLines: string[] = []
    const ready = Promise.withResolvers<void>()
    if (child.stderr)
      createInterface({ input: child.stderr }).on('line', line => {
        if (line.includes('database system is ready to accept connections')) return ready.resolve()
        lastLines.push(line)
        if (lastLines.length > 20) lastLines.shift()
        if (/^(WARNING|ERROR|FATAL|PANIC)/.test(line)) this.#reports.warn(`postgres: ${line}`)
      })
    child.on('error', ready.reject)
    const exited = new Promise<void>(resolve =>
      child.once('exit', code => {
        ready.reject(new Error(`The embedded database ended with code ${code}: ${lastLines.join('\n')}`))
        resolve()
      }),
    )
    const running = { process: child, exited }
    this.#last = running
    await ready.promise
    void exited.then(() => {
      if (this.#servers.current === running)
        this.#reports.warn('the embedded database ended unexpectedly; restarting it')
    })
    return running
  }

  /** A server that outlived its service is already shutting down. Its successor waits until it has ended. */
  async #waitForPredecessor(): Promise<void> {
    const file = join(this.#places.data, 'cluster', 'postmaster.pid')
    for (let attempt = 0; attempt < 200; attempt++) {
      const [line] = (await readFile(file, 'utf8').catch(() => '')).split('\n')
      const pid = Number(line)
      if (!pid || !(await isPostgres(pid))) return
      if (attempt === 0) this.#reports.info(`waiting for the previous database, process ${pid}, to shut down`)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    throw new Error(
      `Another PostgreSQL is still running in ${this.#places.data}; its process id is in ${file}.`,
    )
  }
}

async function isPostgres(pid: number): Promise<boolean> {
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
  return name.trim() === 'postgres'
}
