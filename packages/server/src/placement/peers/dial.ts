import type { Forwarding } from '@sandglass/gateway/rooms'
import type { Arrival } from '@sandglass/gateway/transports'
import { join } from '@sandglass/mappings'
import { faultOf } from './faults.ts'
import { livePathOf, liveProtocol } from './live-protocol.ts'
import type { Peer } from './peer.ts'

/**
 * Connects a viewer to the live rooms of a peer. After the upgrade, the connection carries only frames of the live
 * protocol.
 */
export async function dial(peer: Peer, arrival: Arrival): Promise<Forwarding> {
  const path = livePathOf(arrival.transport)
  const client = { address: arrival.remoteAddress, protocol: 'http' } as const
  const { socket } = await peer.pool
    .upgrade({
      path: peer.urlOf(path),
      method: 'GET',
      headers: peer.mark('GET', path, client),
      protocol: liveProtocol,
    })
    .catch(cause => {
      throw faultOf(cause)
    })
  // An error before the streams are joined must not be thrown; the next write notices that the socket has closed.
  socket.on('error', () => {})
  return {
    take: sent => {
      socket.write(sent)
      join(
        arrival.stream,
        socket,
        () => {},
        () => {},
      )
    },
    drop: () => void socket.destroy(),
  }
}
