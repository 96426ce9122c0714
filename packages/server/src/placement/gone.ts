import { ApiError } from '@sandglass/protocol'

const retrySeconds = 5

/** A 503 for a machine whose process does not answer or is not there; `reason` says more than the error table. */
export function gone({ reason, cause }: { reason?: string; cause?: unknown } = {}): ApiError {
  return new ApiError('node.GONE', { message: reason, retryAfter: retrySeconds, cause })
}
