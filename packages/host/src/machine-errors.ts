import { MachineError, type MachineErrorCode } from '@sandglass/machines/contract'
import { type ErrorCodec, plainErrors } from '@sandglass/rpc'

const kind = 'machine'

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
  DENIED: true,
  MACHINE_FAILED: true,
  UNREACHABLE: true,
  REFUSED: true,
}

/** Errors of machines keep their code, by which callers decide. */
export const machineErrors: ErrorCodec = {
  describe: error =>
    error instanceof MachineError
      ? { kind, code: error.code, message: error.message.slice(0, 4096) }
      : plainErrors.describe(error),
  revive: described => {
    const { code, message } = described
    return described.kind === kind && isCode(code)
      ? new MachineError(code, message)
      : plainErrors.revive(described)
  },
}

function isCode(code: string | undefined): code is MachineErrorCode {
  return code !== undefined && Object.hasOwn(codes, code)
}
