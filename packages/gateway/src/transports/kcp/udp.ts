import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'

/** Enough for a full window of segments from several peers; the kernel gives less if its own limit is lower. */
const bufferBytes = 4 * 1024 * 1024

/** Creates a socket for numeric addresses. Skipping the name lookup lets a datagram be sent immediately. */
export function udpSocket(address: string): Socket {
  return createSocket({
    type: isIPv6(address) ? 'udp6' : 'udp4',
    lookup: (numeric, _options, found) => found(null, numeric, isIPv6(numeric) ? 6 : 4),
    recvBufferSize: bufferBytes,
    sendBufferSize: bufferBytes,
  })
}

/** Turns an IPv4-mapped IPv6 address into a plain IPv4 address. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '')

/** A datagram that cannot be sent counts as lost, as it might be in the network. */
export const lost = (): void => {}
