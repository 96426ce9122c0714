import { dialWebSocket, LiveClient } from '@sandglass/gateway/testing'
import type { Connect } from '@sandglass/protocol'
import { cleanup } from './cleanup.ts'
import type { Request, TestService } from './test-service.ts'

/** Returns the connect details of a sandbox from getSandbox. */
export async function connectDetails(
  service: TestService,
  sandbox: string,
  request?: Request,
): Promise<Connect> {
  return (await service.get(sandbox, request)).body.connectDetails
}

/** Connects to the first WebSocket of these addresses without sending anything. */
export async function dialLive({ gatewayAddresses }: Pick<Connect, 'gatewayAddresses'>): Promise<LiveClient> {
  const address = gatewayAddresses.find(({ gatewayType }) => gatewayType === 'WEBSOCKET')
  if (!address) throw new Error('no WebSocket is listed')
  const client = new LiveClient(await dialWebSocket(`ws://${address.address}:${address.port}${address.path}`))
  cleanup.defer(() => client.close())
  return client
}

/** Connects and sends a hello, without waiting for the response. */
export async function enter(connect: Connect, name = 'Ada'): Promise<LiveClient> {
  const client = await dialLive(connect)
  client.hello({ room: connect.roomId, token: connect.endUserToken, name })
  return client
}

/** Connects a viewer with all rights of the caller's key, and waits until it was admitted. */
export async function viewerOf(
  service: TestService,
  sandbox: string,
  { name, ...request }: Request & { readonly name?: string } = {},
): Promise<LiveClient> {
  const client = await enter(await connectDetails(service, sandbox, request), name)
  await client.message('lease')
  return client
}
