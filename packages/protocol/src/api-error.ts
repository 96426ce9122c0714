import { z } from 'zod'
import { type ErrorCode, errors } from './errors.ts'

const AnyError = z.looseObject({ code: z.string().optional(), message: z.string().optional() })

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errors, code)
}

/** What an error response can carry besides `code` and `message`. */
export interface ErrorDetails {
  /** Replaces the table's message if the caller knows more; the table's hint still follows. */
  readonly message?: string | undefined
  /** Additional fields of the response body. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** Seconds for the Retry-After header. */
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/**
 * An error that reaches the API's caller. Its status, message and hint come from the table by `code`.
 *
 * @example
 * throw new ApiError('sandbox.NOT_FOUND')
 * throw new ApiError('service.UNAVAILABLE', { message: 'The database is down.', retryAfter: 5 })
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** The message without the hint. */
  readonly problem: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    const { status, message, hint } = errors[code]
    const problem = details.message ?? message
    super(`${problem} ${hint}`, { cause: details.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = status
    this.problem = problem
    this.fields = details.fields ?? {}
    this.retryAfter = details.retryAfter
  }

  /**
   * Restores the error from another node's response. Codes that this version does not know become `service.INTERNAL`.
   */
  static async from(response: Response): Promise<ApiError> {
    const body = AnyError.safeParse(await response.json().catch(() => undefined)).data ?? {}
    const { code, message, requestId: _, ...fields } = body
    const retryAfter = Number(response.headers.get('retry-after')) || undefined
    const known = isErrorCode(code) ? code : 'service.INTERNAL'
    const hint = ` ${errors[known].hint}`
    const ownMessage =
      typeof message === 'string' && message.endsWith(hint) ? message.slice(0, -hint.length) : undefined
    return new ApiError(known, { message: ownMessage, fields, retryAfter })
  }

  toJSON(): Record<string, unknown> {
    return { code: this.code, message: this.message, ...this.fields }
  }
}
