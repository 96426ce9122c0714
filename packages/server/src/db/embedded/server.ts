import { once } from 'node:events'
import { chmod, chown, mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Supervised } from '@sandglass/supervision'
import type { DatabaseAddress } from '../address.ts'
import { postgresHome } from './binaries.ts'
import { clusterName, majorOfCluster, requireMajor, requireNoUpgrade } from './cluster.ts'
import { launch, type Places } from './launch.ts'
import { Postmaster } from './postmaster.ts'
import { endPredecessors } from './predecessors.ts'
import type { Reports } from './reports.ts'
import { type DatabaseUser, databaseUser } from './unprivileged.ts'

/** The path of a unix socket is limited to 107 bytes. This is what remains for the folder. */
const maxFolderBytes = 107 - '/.s.PGSQL.5432'.length

/** Enough for the pool of a service, its listeners, and commands of the operator. */
const defaultConnections = 60

const settings = [
  'listen_addresses=',
  'unix_socket_permissions=0700',
  'shared_buffers=64MB',
  'jit=off',
  // A server that restarts in place after a crash ignores that another of its processes crashes before the recovery
  // has begun, and would wait for that process. It ends instead, and a new one takes its place.
  'restart_after_crash=off',
  'log_min_messages=warning',
  'log_line_prefix=',
]

/** Returns the address of the server that runs in this folder, for the role that owns its tables unless another one is given. */
export function embeddedAddress(folder: string, user = 'sandglass'): DatabaseAddress {
  return { config: { host: folder, user, database: 'postgres' }, shown: `embedded in ${folder}` }
}

/** What differs while a database is moved to another version of PostgreSQL, and for the database of many services. */
export interface EmbeddedOptions {
  /** The folder of PostgreSQL's programs; those of the installed package by default. */
  readonly home?: string
  /** The name of the cluster in the folder; that of the service by default. */
  readonly cluster?: string
  readonly maxConnections?: number
}

/**
 * A PostgreSQL server in a folder that listens only on a unix socket. It ends with the service, and is restarted if
 * it crashes.
 */
export class EmbeddedPostgres {
  readonly #places: Places
  readonly #cluster: string
  readonly #user: DatabaseUser | undefined
  readonly #reports: Reports
  readonly #maxConnections: number
  readonly #servers: Supervised<Postmaster>
  #last: Postmaster | undefined

  private constructor(
    places: Places,
    user: DatabaseUser | undefined,
    reports: Reports,
    { cluster, maxConnections }: Pick<Required<EmbeddedOptions>, 'cluster' | 'maxConnections'>,
  ) {
    this.#places = places
    this.#cluster = cluster
    this.#user = user
    this.#reports = reports
    this.#maxConnections = maxConnections
    this.#servers = new Supervised({
      open: signal => this.#start(signal),
      ended: server => server.exited,
      close: server => server.end(),
      // Retry quickly, because nothing works meanwhile.
      backoff: { firstMs: 50, maxMs: 2000 },
      onFailure: failure => failure && reports.warn(String(failure.reason)),
    })
  }

  static async start(
    folder: string,
    reports: Reports,
    {
      home = postgresHome(),
      cluster = clusterName,
      maxConnections = defaultConnections,
    }: EmbeddedOptions = {},
  ): Promise<EmbeddedPostgres> {
    if (Buffer.byteLength(folder) > maxFolderBytes)
      throw new Error(
        `The data directory's path is too long for a unix socket; keep ${folder} under ${maxFolderBytes} bytes.`,
      )
    const user = await databaseUser(dirname(folder))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    if (user) await chown(folder, user.uid, user.gid)
    if (cluster === clusterName) await requireNoUpgrade(folder)
    const server = new EmbeddedPostgres({ home, data: folder }, user, reports, { cluster, maxConnections })
    await server.#initialise()
    await requireMajor(folder, cluster, home)
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
    const { data } = this.#places
    if ((await majorOfCluster(data, this.#cluster)) !== undefined) return
    this.#reports.info('creating the embedded database')
    // The folder is renamed only when it is complete, so that an interrupted initialisation starts over. The program takes
    // the place of the shell, so that it ends with the service.
    const made = `${this.#cluster}.new`
    const script = 'rm -rf "$0" "$1" && shift && exec "$@"'
    const child = launch(
      this.#places,
      this.#user,
      ({ home }) => [
        'sh',
        '-c',
        script,
        this.#cluster,
        made,
        `${home}/bin/initdb`,
        `--pgdata=${made}`,
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
    await rename(join(data, made), join(data, this.#cluster))
  }

  async #start(signal: AbortSignal): Promise<Postmaster> {
    await endPredecessors(this.#places.data, this.#reports, signal, this.#cluster)
    const child = launch(
      this.#places,
      this.#user,
      ({ home, data }) => [
        `${home}/bin/postgres`,
        '-D',
        `${data}/${this.#cluster}`,
        '-k',
        data,
        ...[...settings, `max_connections=${this.#maxConnections}`].flatMap(setting => ['-c', setting]),
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const server = new Postmaster(child, this.#reports)
    this.#last = server
    // Without this, closing would wait until the server has recovered.
    const end = () => server.end()
    signal.addEventListener('abort', end, { once: true })
    void server.exited.then(() => {
      signal.removeEventListener('abort', end)
      if (this.#servers.current === server)
        this.#reports.warn('the embedded database ended unexpectedly; restarting it')
    })
    await server.ready
    return server
  }
}
