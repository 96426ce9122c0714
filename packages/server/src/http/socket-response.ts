import { UpgradeResponse } from '@sandglass/mappings'
import { ApiError } from '@sandglass/protocol'
import type { FastifyReply } from 'fastify'

/** The response to a request that asks for the WebSocket of an operation. */
export class SocketResponse extends UpgradeResponse {
  /** Called when the credential of the caller ends, if the WebSocket is open in this process: closes it with the reason. */
  onRevoked: (() => void) | undefined
}

/** Returns the response of a call that asked for a WebSocket. Throws if it did not, or not as the standard says. */
export function requireSocket(reply: FastifyReply): SocketResponse {
  const { raw, request } = reply
  const { 'sec-websocket-version': version, 'sec-websocket-key': key = '' } = request.headers
  if (!(raw instanceof SocketResponse) || version !== '13') {
    reply.header('upgrade', 'websocket').header('sec-websocket-version', '13')
    throw new ApiError('request.UPGRADE_REQUIRED')
  }
  if (!/^[+/0-9A-Za-z]{22}==$/.test(key))
    throw new ApiError('request.MALFORMED', { message: 'Sec-WebSocket-Key is missing or not valid.' })
  return raw
}
