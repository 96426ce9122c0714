import { MachineError, type MachineErrorCode } from '@sandglass/machines/contract'
import { type ErrorCodec, UnfitResult } from '@sandglass/rpc'

const codes: Readonly<Record<MachineErrorCode, true>> = {
  NOT_FOUND: true,
  INVALID: true,
  STATE: true,
  MISMATCH: true,
  WRONG_KIND: true,
  EXISTS: true,
  NO_SPACE: true,
  HOST_FULL: true,
  NO_CAPACITY: true,
  DENIED: true,
  MACHINE_FAILED: true,
  UNREACHABLE: true,
  REFUSED: true,
}
const isCode = (code: string | undefined): code is MachineErrorCode =>
  code !== undefined && Object.hasOwn(codes, code)

const maxMessageLength = 4096

/**
 * How the errors of machines cross between worker and front: with their codes. Other errors are faults, which keep
 * nothing but their message. What fails because the other process is gone is UNREACHABLE.
 */
export const machineErrors: ErrorCodec = {
  describe(error) {
    const message = (error instanceof Error ? error.message : String(error)).slice(0, maxMessageLength)
    if (error instanceof MachineError) return { kind: 'machine', code: error.code, message }
    if (error instanceof UnfitResult)
      return { kind: 'machine', code: 'STATE', message: 'the machine sent a malformed answer' }
    return { kind: isAbort(error) ? 'abort' : 'fault', message }
  },
  revive({ kind, code, message }) {
    if (kind === 'machine' && isCode(code)) return new MachineError(code, message)
    return kind === 'abort' ? new DOMException(message, 'AbortError') : new Error(message)
  },
  closed: unreachable,
}

/** For what fails because the worker of a machine is gone, or sent what it must not. */
export function unreachable(cause: unknown): MachineError {
  return new MachineError('UNREACHABLE', 'The worker of this machine ended. Try again in a moment.', {
    cause,
  })
}

const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError'
