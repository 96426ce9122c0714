import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance } from 'fastify'
import type { Settings } from '../settings.ts'

/**
 * Protects against DNS rebinding if the service listens on a loopback address: a web page whose name was rebound to
 * 127.0.0.1 sends that name as Host, and is refused. Only local names and the configured ones are accepted, and the hosts
 * of sandboxes.
 */
export function addHostCheck(
  app: FastifyInstance,
  settings: Settings,
  isSandboxHost: (request: IncomingMessage) => boolean = () => false,
): void {
  if (!isLoopback(settings.SANDGLASS_HOST)) return
  const allowedHosts = new Set(settings.SANDGLASS_ALLOWED_HOSTS.map(host => host.toLowerCase()))
  if (settings.SANDGLASS_PUBLIC_URL)
    allowedHosts.add(new URL(settings.SANDGLASS_PUBLIC_URL).hostname.toLowerCase())
  /** The last accepted Host, since most requests have the same Host as the one before. */
  let lastAccepted = ''
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.host === lastAccepted) return done()
    const host = request.hostname.toLowerCase()
    if (isLoopback(host) || host.endsWith('.localhost') || allowedHosts.has(host)) {
      lastAccepted = request.host
      return done()
    }
    if (isSandboxHost(request.raw)) return done()
    done(
      new ApiError('request.HOST_NOT_ALLOWED', {
        message: `The service does not accept requests for the Host ${host}.`,
      }),
    )
  })
}

export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'))
}
