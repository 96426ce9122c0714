import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Sandglass } from '@sandglass/client'

/** One delivery of so many is refused at first, so that there are retries. */
const refusedEvery = 50

export interface Heard {
  events: number
  deliveries: number
}

/** Follows the events of the organization, and receives them by a webhook, until the signal is aborted. */
export async function listen(
  client: Sandglass,
  heard: Heard,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const server = createServer((incoming, response) => {
    incoming.resume()
    heard.deliveries++
    response.writeHead(heard.deliveries % refusedEvery === 0 ? 503 : 200).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const webhook = await client.createWebhook({ body: { url: `http://127.0.0.1:${port}/hook` } })
  const following = follow(client, heard, signal)
  return async () => {
    await following
    await client.deleteWebhook({ webhookId: webhook.id }).catch(() => {})
    server.closeAllConnections()
    server.close()
  }
}

/** The stream is opened again where it was if the service was restarted. */
async function follow(client: Sandglass, heard: Heard, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const _ of client.stream('listEvents', {}, { signal })) heard.events++
    } catch {
      // The next one begins with what happens then.
    }
    await pause(1000, undefined, { signal }).catch(() => {})
  }
}
