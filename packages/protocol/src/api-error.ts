import { type ErrorCode, errors } from './errors.ts'

/** What an answer may carry beside `code` and `message`. */
export interface ErrorDetails {
  /** Better words for what is wrong; the table's hint still follows. */
  readonly message?: string
  /** Further fields of the answer. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** Seconds, for the Retry-After header. */
  readonly retryAfter?: number
  readonly cause?: unknown
}

/** An error of the table, on its way to the caller. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly fields: Readonly<Record<string, unknown>>
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    const { status, message, hint } = errors[code]
    super(`${details.message ?? message} ${hint}`, { cause: details.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = status
    this.fields = details.fields ?? {}
    this.retryAfter = details.retryAfter
  }

  toJSON(): Record<string, unknown> {
    return { code: this.code, message: this.message, ...this.fields }
  }
}
