import type { ApiError } from '@sandglass/protocol'

/** An error as clients read it: their `code` is the status of the response. */
export function errorView({ status, code, message }: ApiError) {
  return { code: status, message, reason: code }
}
