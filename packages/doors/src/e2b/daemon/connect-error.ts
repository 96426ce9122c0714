import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { ApiError, type ErrorCode } from '@sandglass/protocol'
import { reachedKey } from './daemon.ts'

const codes: Partial<Readonly<Record<ErrorCode, Code>>> = {
  'sandbox.NOT_FOUND': Code.Unavailable,
  'sandbox.STATE': Code.Unavailable,
  'file.EXISTS': Code.AlreadyExists,
  'file.WRONG_KIND': Code.InvalidArgument,
  'file.NO_SPACE': Code.ResourceExhausted,
  'shell.TOO_MANY': Code.ResourceExhausted,
  'shell.FINISHED': Code.NotFound,
}

const byStatus: Readonly<Record<number, Code>> = {
  400: Code.InvalidArgument,
  401: Code.Unauthenticated,
  403: Code.PermissionDenied,
  404: Code.NotFound,
  409: Code.FailedPrecondition,
  413: Code.ResourceExhausted,
  415: Code.InvalidArgument,
  429: Code.ResourceExhausted,
  503: Code.Unavailable,
  504: Code.DeadlineExceeded,
}

/** Converts an error of ours to one of the Connect protocol. Errors that are not ours say nothing about their cause. */
export function connectErrorOf(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error
  if (!(error instanceof ApiError))
    return new ConnectError('The service failed.', Code.Internal, undefined, undefined, error)
  const code = codes[error.code] ?? byStatus[error.status] ?? Code.Internal
  return new ConnectError(error.message, code, undefined, undefined, error)
}

/** Converts the errors of all methods, also those that come while a stream is read. `known` makes errors of ours of them first. */
export function convertErrors(known: (error: unknown) => unknown): Interceptor {
  const converted = (error: unknown) => connectErrorOf(error instanceof ConnectError ? error : known(error))
  return next => async request => {
    request.contextValues.set(reachedKey, true)
    try {
      const response = await next(request)
      if (!response.stream) return response
      return { ...response, message: convertedIn(response.message, converted) }
    } catch (error) {
      throw converted(error)
    }
  }
}

async function* convertedIn<T>(messages: AsyncIterable<T>, converted: (error: unknown) => Error) {
  try {
    yield* messages
  } catch (error) {
    throw converted(error)
  }
}
