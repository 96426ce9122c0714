import { ApiError } from '@sandglass/protocol'
import { errors } from 'undici'
import { gone } from '../gone.ts'

/** Why a peer gave no answer, in words for the one who asked. */
export function faultOf(cause: Error): ApiError {
  if (cause instanceof errors.InvalidArgumentError) return new ApiError('request.MALFORMED', { cause })
  return gone({ cause })
}
