import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '@sandglass/protocol'

/** The one credential of a request, whichever of the three headers carries it. */
export function credentialOf(headers: IncomingHttpHeaders): string {
  const bearer = headers.authorization
  const sent = [headers['x-api-key'], headers['x-trial-session-token'], bearer].filter(
    value => value !== undefined && value !== '',
  )
  if (sent.length > 1) throw new ApiError('auth.AMBIGUOUS')
  const [credential] = sent
  if (typeof credential !== 'string') throw new ApiError('auth.MISSING')
  if (credential !== bearer) return credential
  const [scheme = '', token = ''] = bearer.split(' ', 2)
  if (scheme.toLowerCase() !== 'bearer' || token === '')
    throw new ApiError('auth.INVALID', { message: 'The Authorization header is not "Bearer <token>".' })
  return token
}
