import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Settings } from './settings.ts'

/** Opens the port of the API. Throws an error that names the settings if that is not possible. */
export async function listen(
  app: FastifyInstance,
  { SANDGLASS_HOST: host, SANDGLASS_PORT: port }: Settings,
): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'EADDRINUSE')
      throw new Error(
        `Port ${port} on ${host} is in use. Stop the process that listens there, or set SANDGLASS_PORT.`,
        {
          cause,
        },
      )
    throw new Error(
      `The service cannot listen on ${host} port ${port} (SANDGLASS_HOST, SANDGLASS_PORT): ${cause}`,
      { cause },
    )
  }
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
