import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface KilledCaller {
  /** A socket that forwards to the member. */
  readonly socket: string
  /** Whether the request was seen that was the first not to be forwarded. */
  readonly isKilled: boolean
  close(): Promise<void>
}

/**
 * Forwards requests to a member, until one that matches. That one and all later ones are dropped, as if the process that sends
 * them was killed just before. Requests are matched as `POST /1.0/instances/a {"name":"b"}`.
 */
export async function killedCaller(socket: string, member: string, last: RegExp): Promise<KilledCaller> {
  let isKilled = false
  const server = createServer(async (incoming, answer) => {
    const { method = '', url = '', headers } = incoming
    const body = await text(incoming)
    isKilled ||= last.test(`${method} ${url.replace(/\?.*/, '')} ${body}`)
    if (isKilled) {
      incoming.socket.destroy()
      return
    }
    const sent = request({ socketPath: member, method, path: url, headers, agent: false }, response => {
      answer.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(answer)
    })
    sent.on('error', () => incoming.socket.destroy()).end(body)
  })
  server.listen(socket)
  await once(server, 'listening')
  return {
    socket,
    get isKilled() {
      return isKilled
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await rm(socket, { force: true })
    },
  }
}
