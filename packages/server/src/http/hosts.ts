import { isIP } from 'node:net'
import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance } from 'fastify'
import type { Settings } from '../settings.ts'

/**
 * On a loopback address only a page that a person opened by a local name may call: a web page whose own name was
 * rebound to 127.0.0.1 sends that name as Host, and is refused.
 */
export function addHostCheck(app: FastifyInstance, settings: Settings): void {
  if (!isLoopback(settings.SANDGLASS_HOST)) return
  const named = new Set(settings.SANDGLASS_ALLOWED_HOSTS.map(host => host.toLowerCase()))
  if (settings.SANDGLASS_PUBLIC_URL) named.add(new URL(settings.SANDGLASS_PUBLIC_URL).hostname.toLowerCase())
  /** Most requests name the same host as the one before. */
  let allowed = ''
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.host === allowed) return done()
    const host = request.hostname.toLowerCase()
    if (isLoopback(host) || host.endsWith('.localhost') || named.has(host)) {
      allowed = request.host
      return done()
    }
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
