import { dialWebSocket, LiveClient } from '@sandglass/gateway/testing'
import type { Connect } from '@sandglass/protocol'
import { cleanup } from './cleanup.ts'
import type { Request, TestService } from './test-service.ts'

/** How to connect to a sandbox, as getSandbox tells it. */
export async function connectDetails(
  service: TestService,
  sandbox: string,
  request?: Request,
): Promise<Connect> {
  return (await service.get(sandbox, request)).body.connectDetails
}

/** A connection to the first WebSocket of these addresses, which has said nothing yet. */
export async function dialLive({ gatewayAddresses }: Pick<Connect, 'gatewayAddresses'>): Promise<LiveClient> {
  const way = gatewayAddresses.find(({ gatewayType }) => gatewayType === 'WEBSOCKET')
  if (!way) throw new Error('no WebSocket is listed')
  const client = new LiveClient(await dialWebSocket(`ws://${way.address}:${way.port}${way.path}`))
  cleanup.defer(() => client.close())
  return client
}

/** Says hello; what comes of it is for the test to see. */
export async function enter(connect: Connect, name = 'Ada'): Promise<LiveClient> {
  const client = await dialLive(connect)
  client.hello({ room: connect.roomId, token: connect.endUserToken, name })
  return client
}

/** A viewer who was let in, with everything that the caller's key allows. */
export async function viewerOf(
  service: TestService,
  sandbox: string,
  { name, ...request }: Request & { readonly name?: string } = {},
): Promise<LiveClient> {
  const client = await enter(await connectDetails(service, sandbox, request), name)
  await client.message('lease')
  return client
}
