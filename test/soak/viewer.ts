import type { Sandbox } from '@sandglass/client'
import { dialWebSocket, LiveClient } from '@sandglass/gateway/testing'
import type { Tally } from './tally.ts'

/** How long the first picture may take. */
const pictureMs = 60_000

/** Somebody who watches a sandbox over a WebSocket, as the page of the live view does. */
export class Viewer {
  readonly #client: LiveClient

  private constructor(client: LiveClient) {
    this.#client = client
  }

  /** Undefined if it was not let in, which is counted. */
  static async enter(box: Sandbox, tally: Tally): Promise<Viewer | undefined> {
    try {
      return await tally.of('a viewer', Viewer.#enter(box))
    } catch {
      return undefined
    }
  }

  static async #enter(box: Sandbox): Promise<Viewer> {
    const { gatewayAddresses, endUserToken, roomId } = await box.live().connect()
    const address = gatewayAddresses.find(({ gatewayType }) => gatewayType === 'WEBSOCKET')
    if (!address || !endUserToken) throw new Error('no WebSocket is listed, or no token')
    const stream = await dialWebSocket(`ws://${address.address}:${address.port}${address.path}`)
    const client = new LiveClient(stream)
    try {
      client.hello({ room: roomId, token: endUserToken, name: 'Soak' })
      await client.until(() => client.canvas !== undefined || client.isClosed, pictureMs)
      if (!client.canvas) throw new Error('a viewer was sent away before it saw a picture')
    } catch (error) {
      client.close()
      throw error
    }
    return new Viewer(client)
  }

  /** A viewer for days would keep every message that it has received. */
  check(): void {
    this.#client.messages.splice(0)
    this.#client.cursors.splice(0)
    this.#client.clipboards.splice(0)
  }

  leave(): void {
    this.#client.close()
  }
}
