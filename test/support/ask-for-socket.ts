import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'

/** Asks for a WebSocket as a client does, and closes it at once if it is opened. */
export function askForSocket(url: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      headers: {
        ...headers,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
      },
    })
    asked.once('upgrade', (_response, socket) => {
      socket.destroy()
      resolve(new Response('opened'))
    })
    asked.once('response', response => {
      text(response).then(body => resolve(new Response(body, { status: response.statusCode ?? 0 })), reject)
    })
    asked.once('error', reject)
    asked.end()
  })
}
