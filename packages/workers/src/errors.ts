import { machineErrors as errorsOfHost } from '@sandglass/host'
import { MachineError } from '@sandglass/machines/contract'
import { type ErrorCodec, UnfitResult } from '@sandglass/rpc'

/** How the errors of machines cross between worker and front. What fails because the other process is gone is UNREACHABLE. */
export const machineErrors: ErrorCodec = {
  ...errorsOfHost,
  describe: error =>
    errorsOfHost.describe(
      // The machine caused it, because a worker passes on what its machines say.
      error instanceof UnfitResult ? new MachineError('STATE', 'the machine sent a malformed answer') : error,
    ),
  closed: unreachable,
}

/** For what fails because the worker of a machine is gone, or sent what it must not. */
export function unreachable(cause: unknown): MachineError {
  return new MachineError('UNREACHABLE', 'The worker of this machine ended. Try again in a moment.', {
    cause,
  })
}
