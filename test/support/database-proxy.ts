import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { temporaryFolder } from './service-process.ts'

/** What happens to a connection when it commits a transaction. */
export type Commits = 'pass' | 'get no answer' | 'lose the connection'

/** A proxy between a service and its database that can lose responses. */
export class DatabaseProxy {
  readonly env: { readonly DATABASE_URL: string }
  commits: Commits = 'pass'

  private constructor(folder: string) {
    const url = new URL('postgres://sandglass@localhost/postgres')
    url.searchParams.set('host', folder)
    this.env = { DATABASE_URL: url.href }
  }

  /** Opens a proxy to the PostgreSQL whose socket is in this folder. */
  static async open(database: string): Promise<DatabaseProxy> {
    const folder = await temporaryFolder()
    const proxy = new DatabaseProxy(folder)
    const sockets = new Set<Socket>()
    const server = createServer(client => {
      const behind = connect(join(database, '.s.PGSQL.5432'))
      for (const socket of [client, behind]) sockets.add(socket.on('error', () => {}))
      client.on('close', () => behind.destroy())
      behind.on('close', () => client.destroy())
      client.on('data', bytes => {
        if (proxy.commits !== 'pass' && bytes.includes('commit\0')) {
          behind.unpipe(client)
          if (proxy.commits === 'lose the connection') behind.once('data', () => client.destroy())
          behind.resume()
        }
        behind.write(bytes)
      })
      behind.pipe(client)
    }).listen(join(folder, '.s.PGSQL.5432'))
    await once(server, 'listening')
    cleanup.defer(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    return proxy
  }
}
