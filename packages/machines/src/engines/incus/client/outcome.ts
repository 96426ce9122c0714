import { Pause } from '@sandglass/supervision'
import { MachineError } from '../../../contract/errors.ts'
import { isOver, type Operation } from './answers.ts'
import { Deadline } from './deadline.ts'
import { IncusError, refusal, unreachable } from './errors.ts'

/** One question for the outcome is answered within this, so that a member that died meanwhile is noticed. */
const sliceSeconds = 5
const sliceMs = 10_000
/** Questions in a row that may stay without an answer. */
const maxFailures = 3

/** Asks for the operation: at once, or when it has ended or the given time has passed. */
export type Ask = (waitSeconds: number | undefined, deadline: Deadline) => Promise<Operation>

/** Waits until an operation has ended. Throws only if that cannot be learned in time. */
export async function endOf(
  what: string,
  started: Operation,
  deadline: Deadline,
  ask: Ask,
): Promise<Operation> {
  let operation = started
  let failures = 0
  while (!isOver(operation)) {
    if (deadline.signal.aborted) throw deadline.error(what)
    try {
      operation = await askOnce(deadline, ask)
      failures = 0
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.error(what)
      if (error instanceof IncusError && error.status === 404)
        throw unreachable(`${what}: Incus no longer knows the operation, so its outcome is unknown.`, error)
      if (!(error instanceof MachineError && error.code === 'UNREACHABLE')) throw error
      if (++failures === maxFailures) throw error
      await new Pause(Math.min(200, deadline.leftMs)).over
    }
  }
  return operation
}

/** Throws if an operation that has ended was not successful. */
export function succeeded(what: string, operation: Operation): Operation {
  if (operation.status_code >= 400) throw refusal(what, operation.status_code, operation.err, true)
  return operation
}

async function askOnce(deadline: Deadline, ask: Ask): Promise<Operation> {
  const slice = () => new Deadline(Math.min(sliceMs, deadline.leftMs), deadline.signal)
  const seconds = Math.max(1, Math.min(sliceSeconds, Math.floor(deadline.leftMs / 1000)))
  try {
    return await ask(seconds, slice())
  } catch (error) {
    // Incus refuses the wait both when it took too long and with the operation's own failure. Only a look tells which.
    if (error instanceof IncusError) return ask(undefined, slice())
    throw error
  }
}
