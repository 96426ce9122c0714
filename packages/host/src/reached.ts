import { MachineError } from '@sandglass/machines/contract'
import { LinkClosed } from '@sandglass/rpc'

/** Nothing is known about machines any more when the host is gone. */
export async function reached<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof LinkClosed)) throw error
    throw new MachineError('UNREACHABLE', 'the host process has ended', { cause: error })
  }
}
