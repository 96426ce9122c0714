import { type Transport, transports } from '@sandglass/gateway/transports'

/** The upgrade protocol between two processes. It carries frames of the live protocol without a WebSocket around them. */
export const liveProtocol = 'sandglass-live'

const pathPrefix = '/live/from-peer/'

export function livePathOf(transport: Transport): string {
  return pathPrefix + transport
}

/** Returns the transport that the viewer used to reach the other process, or undefined if this is not such a path. */
export function transportIn(path: string): Transport | undefined {
  return transports.find(transport => path === livePathOf(transport))
}
