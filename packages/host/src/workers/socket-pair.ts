import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Two ends of one connection, from which nothing is read here, so that both can be passed to other processes. */
export async function socketPair(): Promise<readonly [Socket, Socket]> {
  // Nobody else can search the folder, so nobody else can connect.
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-pair-'))
  const server = createServer({ pauseOnConnect: true })
  try {
    const path = join(folder, 'pair')
    server.listen(path)
    await once(server, 'listening')
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const one = createConnection(path).pause()
    const [[other]] = await Promise.all([accepted, once(one, 'connect')])
    return [one, other]
  } finally {
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
}
