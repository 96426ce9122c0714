import { ApiError } from '@sandglass/protocol'

const retrySeconds = 5

/** Builds the 503 for a machine whose process does not answer or no longer exists. `reason` replaces the general message. */
export function gone({ reason, cause }: { reason?: string; cause?: unknown } = {}): ApiError {
  return new ApiError('node.GONE', { message: reason, retryAfter: retrySeconds, cause })
}
