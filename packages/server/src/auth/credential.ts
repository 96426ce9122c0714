import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '@sandglass/protocol'

/** Returns the credential in the headers of a request, if there is one. At most one of the three headers may carry one. */
export function credentialIn(headers: IncomingHttpHeaders): string | undefined {
  const { 'x-api-key': apiKey, 'x-trial-session-token': trialToken, authorization: bearer } = headers
  if ((apiKey && trialToken) || (bearer && (apiKey || trialToken))) throw new ApiError('auth.AMBIGUOUS')
  const credential = apiKey || trialToken
  if (typeof credential === 'string' && credential !== '') return credential
  if (credential) throw new ApiError('auth.MISSING')
  if (!bearer) return undefined
  const [scheme = '', token = ''] = bearer.split(' ', 2)
  if (scheme.toLowerCase() !== 'bearer' || token === '')
    throw new ApiError('auth.INVALID', { message: 'The Authorization header is not "Bearer <token>".' })
  return token
}
