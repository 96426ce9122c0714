import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Two connected unix sockets, as between two processes. */
export async function socketPair(): Promise<[Socket, Socket]> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-pair-'))
  const server = createServer().listen(join(folder, 'socket'))
  try {
    const accepted = once(server, 'connection')
    const front = createConnection(join(folder, 'socket'))
    const [worker] = await accepted
    return [front, worker]
  } finally {
    server.close()
    await rm(folder, { recursive: true })
  }
}
