import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '@sandglass/protocol'

/** Returns the credential of a request. Exactly one of the three headers may carry one. */
export function credentialOf(headers: IncomingHttpHeaders): string {
  const { 'x-api-key': apiKey, 'x-trial-session-token': trialToken, authorization: bearer } = headers
  if ((apiKey && trialToken) || (bearer && (apiKey || trialToken))) throw new ApiError('auth.AMBIGUOUS')
  const credential = apiKey || trialToken
  if (typeof credential === 'string' && credential !== '') return credential
  if (credential || !bearer) throw new ApiError('auth.MISSING')
  const [scheme = '', token = ''] = bearer.split(' ', 2)
  if (scheme.toLowerCase() !== 'bearer' || token === '')
    throw new ApiError('auth.INVALID', { message: 'The Authorization header is not "Bearer <token>".' })
  return token
}
