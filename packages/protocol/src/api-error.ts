import { z } from 'zod'
import { type ErrorCode, errors } from './errors.ts'

const AnyError = z.looseObject({ code: z.string().optional(), message: z.string().optional() })

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errors, code)
}

/** What an answer may carry beside `code` and `message`. */
export interface ErrorDetails {
  /** Better words for what is wrong; the table's hint still follows. */
  readonly message?: string | undefined
  /** Further fields of the answer. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** Seconds, for the Retry-After header. */
  readonly retryAfter?: number | undefined
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

  /** The error that another process of the service answered with. */
  static async from(answer: Response): Promise<ApiError> {
    const body = AnyError.safeParse(await answer.json().catch(() => undefined)).data ?? {}
    const { code, message, requestId: _, ...fields } = body
    const retryAfter = Number(answer.headers.get('retry-after')) || undefined
    const known = isErrorCode(code) ? code : 'service.INTERNAL'
    const hint = ` ${errors[known].hint}`
    const said =
      typeof message === 'string' && message.endsWith(hint) ? message.slice(0, -hint.length) : undefined
    return new ApiError(known, { message: said, fields, retryAfter })
  }

  toJSON(): Record<string, unknown> {
    return { code: this.code, message: this.message, ...this.fields }
  }
}
