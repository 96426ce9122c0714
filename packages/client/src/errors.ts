/** What is known of a failure. */
export interface FailureDetails {
  readonly code: string
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly fields?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number | undefined
  readonly cause?: unknown
}

/** Everything that this library throws, except what a caller's own signal was aborted with. */
export class SandglassError extends Error {
  /** The code of the service's error table, or `client.*` if the service did not answer as it should. */
  readonly code: string
  readonly status: number | undefined
  /** The operator finds the request by it in the logs. */
  readonly requestId: string | undefined
  /** Further fields of the answer. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, details: FailureDetails) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.name = new.target.name
    this.code = details.code
    this.status = details.status
    this.requestId = details.requestId
    this.fields = details.fields ?? {}
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/** The request is wrong; `fields.issues` says where. */
export class InvalidRequestError extends SandglassError {}
/** The credential is missing or wrong. */
export class AuthenticationError extends SandglassError {}
/** The credential is right, and may not do this. */
export class PermissionError extends SandglassError {}
/** What was named does not exist, or not for this caller. */
export class NotFoundError extends SandglassError {}
/** The state of what was named does not allow this now. */
export class ConflictError extends SandglassError {}
/** Too much at once. */
export class RateLimitError extends SandglassError {}
/** The service cannot do this now. */
export class UnavailableError extends SandglassError {}
/** The service failed. */
export class ServerError extends SandglassError {}
/** The service could not be reached, or the connection ended early. */
export class ConnectionError extends SandglassError {}
/** The call took longer than its time limit. */
export class TimeoutError extends SandglassError {}
/** No URL, organization or API key is known. */
export class ConfigurationError extends SandglassError {}
/** What answered is not a Sandglass service, or is older than this library. */
export class WrongServiceError extends SandglassError {}

export function errorClassOf(status: number): typeof SandglassError {
  if (status === 401) return AuthenticationError
  if (status === 403) return PermissionError
  if (status === 404 || status === 410) return NotFoundError
  if (status === 409) return ConflictError
  if (status === 429) return RateLimitError
  if (status === 502 || status === 503 || status === 504) return UnavailableError
  return status >= 500 ? ServerError : InvalidRequestError
}
