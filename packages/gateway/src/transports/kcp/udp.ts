import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'

/** As much as a window of segments from several peers; the kernel gives less where its limit is lower. */
const bufferBytes = 4 * 1024 * 1024

/** For addresses alone, so that a datagram is sent at once and not after a look into the names. */
export function udpSocket(address: string): Socket {
  return createSocket({
    type: isIPv6(address) ? 'udp6' : 'udp4',
    lookup: (numeric, _options, found) => found(null, numeric, isIPv6(numeric) ? 6 : 4),
    recvBufferSize: bufferBytes,
    sendBufferSize: bufferBytes,
  })
}

/** An address of IPv4 that came by a socket of IPv6, as itself. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '')

/** What cannot be sent is lost, as it might be on its way. */
export const lost = (): void => {}
