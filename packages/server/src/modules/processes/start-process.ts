import { type ExecSpec, MachineError, type MachineProcess } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import type { RunningMachine } from '@sandglass/workers/contract'

/** Starts a program in a machine, and converts a failure to the error that the caller gets. */
export async function startProcess(machine: RunningMachine, spec: ExecSpec): Promise<MachineProcess> {
  try {
    return await machine.exec(spec)
  } catch (error) {
    throw refusalOf(error)
  }
}

/** Converts an error of a machine. A program that cannot be started is the caller's to fix. */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof MachineError)) return error
  const message = `${error.message.slice(0, 1).toUpperCase()}${error.message.slice(1, 500)}.`
  if (error.code === 'UNREACHABLE')
    return new ApiError('sandbox.UNREACHABLE', { message: error.message, retryAfter: 1, cause: error })
  if (error.code === 'LACKS_AGENT')
    return new ApiError('sandbox.LACKS_AGENT', { message: error.message, cause: error })
  const isCallerError = ['NOT_FOUND', 'INVALID', 'DENIED'].includes(error.code)
  return new ApiError(isCallerError ? 'process.CANNOT_START' : 'sandbox.STATE', { message, cause: error })
}
