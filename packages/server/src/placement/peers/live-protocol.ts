import { type Transport, transports } from '@sandglass/gateway/transports'

/** The protocol that a connection between two processes is upgraded to: the frames of the live protocol, without WebSocket around them. */
export const liveProtocol = 'sandglass-live'

const pathBefore = '/live/from-peer/'

export function livePathOf(transport: Transport): string {
  return pathBefore + transport
}

/** By which transport the viewer came to the other process; undefined where a path is another. */
export function transportIn(path: string): Transport | undefined {
  return transports.find(transport => path === livePathOf(transport))
}
