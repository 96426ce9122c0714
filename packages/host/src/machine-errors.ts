import { MachineError, type MachineErrorCode } from '@sandglass/machines/contract'
import { type ErrorCodec, messageOf, plainErrors } from '@sandglass/rpc'

/** Every code once; the compiler notices a missing one. */
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
  LACKS_AGENT: true,
  DENIED: true,
  MACHINE_FAILED: true,
  UNREACHABLE: true,
  REFUSED: true,
}

/** Errors of machines keep their code, by which callers decide. Of others only the message crosses, and that a call was aborted. */
export const machineErrors: ErrorCodec = {
  describe(error) {
    if (error instanceof MachineError) return { kind: 'machine', code: error.code, message: messageOf(error) }
    const isAbort = error instanceof Error && error.name === 'AbortError'
    return isAbort ? { kind: 'abort', message: messageOf(error) } : plainErrors.describe(error)
  },
  revive(described) {
    const { kind, code, message } = described
    if (kind === 'machine' && isCode(code)) return new MachineError(code, message)
    return kind === 'abort' ? new DOMException(message, 'AbortError') : plainErrors.revive(described)
  },
}

function isCode(code: string | undefined): code is MachineErrorCode {
  return code !== undefined && Object.hasOwn(codes, code)
}
