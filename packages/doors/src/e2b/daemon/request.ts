import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'
import { type Daemon, daemonKey } from './daemon.ts'

/** How often an idle stream says that it is alive, if the client does not choose. */
const defaultKeepaliveMs = 50_000

/** Returns the sandbox of a request. */
export function requireDaemon({ values }: Pick<HandlerContext, 'values'>): Daemon {
  const daemon = values.get(daemonKey)
  if (!daemon) throw new ConnectError('The request has no sandbox.', Code.Internal)
  return daemon
}

/** How often a client wants to hear from an idle stream. */
export function keepaliveMs(headers: Headers): number {
  const seconds = Number(headers.get('keepalive-ping-interval'))
  return seconds >= 1 && seconds <= 3600 ? seconds * 1000 : defaultKeepaliveMs
}

/** Returns the name of the user in an Authorization header, which clients send without a password. */
export function userIn(authorization: string | undefined): string | undefined {
  const [scheme = '', encoded = ''] = (authorization ?? '').split(' ', 2)
  if (scheme.toLowerCase() !== 'basic') return undefined
  return Buffer.from(encoded, 'base64').toString().split(':', 1)[0] || undefined
}
