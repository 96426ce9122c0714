import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { isLoopback } from './http/hosts.ts'
import type { Settings } from './settings.ts'

/** Opens the port of the API. Throws an error that names the settings if that is not possible. */
export async function listen(
  app: FastifyInstance,
  { SANDGLASS_HOST: host, SANDGLASS_PORT: port }: Settings,
): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (cause) {
    throw listenError(cause, { host, port, setting: 'SANDGLASS_PORT' })
  }
}

/** The error about a port that cannot be opened, for the person who started the service. */
export function listenError(
  cause: unknown,
  { host, port, setting }: { readonly host: string; readonly port: number; readonly setting: string },
): Error {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const message =
    code === 'EADDRINUSE'
      ? `Port ${port} on ${host} is in use. Stop the process that listens there, or set ${setting}.`
      : `The service cannot listen on ${host} port ${port} (SANDGLASS_HOST, ${setting}): ${cause}`
  return new Error(message, { cause })
}

/** Says what is wrong if the service is open to a network and nothing encrypts what crosses it. */
export function openToNetworkNotice(settings: Settings): string | undefined {
  const { SANDGLASS_HOST: host, SANDGLASS_TLS_CERT: cert, SANDGLASS_TRUSTED_PROXIES: proxies } = settings
  if (isLoopback(host) || cert !== undefined || proxies.length > 0) return undefined
  return `The service listens on ${host} without TLS, so API keys, sessions and screens cross the network in clear. Set SANDGLASS_TLS_CERT and SANDGLASS_TLS_KEY; or put a proxy with TLS in front of it, and set SANDGLASS_TRUSTED_PROXIES to the address of the proxy, and SANDGLASS_HOST=127.0.0.1 if it is on this host ("Behind a proxy" in docs/deployment.md).`
}

export function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port
}

/** The URL at which the service is reached from its own host. */
export function localUrl(app: FastifyInstance, settings: Settings): string {
  const port = portOf(app)
  const scheme = settings.SANDGLASS_TLS_CERT ? 'https' : 'http'
  const everywhere = ['0.0.0.0', '::'].includes(settings.SANDGLASS_HOST)
  const host = everywhere ? 'localhost' : settings.SANDGLASS_HOST
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
