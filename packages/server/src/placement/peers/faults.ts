import { ApiError } from '@sandglass/protocol'
import { errors } from 'undici'
import { gone } from '../gone.ts'

/** Translates the failure of a request to a peer into the error for the caller. */
export function faultOf(cause: Error): ApiError {
  if (cause instanceof errors.InvalidArgumentError) return new ApiError('request.MALFORMED', { cause })
  return gone({ cause })
}
