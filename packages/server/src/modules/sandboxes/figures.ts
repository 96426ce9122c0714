import { MachineError } from '@sandglass/machines/contract'
import { ApiError, type SandboxFigures } from '@sandglass/protocol'
import type { DatabaseClock } from '../../db/clock.ts'
import type { Database } from '../../db/database.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import { engineFailure } from './engine-failure.ts'
import { madeMachineOf } from './made-machine.ts'

interface FiguresParts {
  readonly db: Database
  readonly clock: DatabaseClock
  readonly keeper: MachineKeeper
}

/** Returns what the machine of a running or paused sandbox uses. Call this only in the process that has the machine. */
export async function figuresOf(
  { db, clock, keeper }: FiguresParts,
  sandbox: SandboxRow,
): Promise<SandboxFigures> {
  if (sandbox.status !== 'RUNNING' && !sandbox.paused) throw notRunning(sandbox)
  const machine = await madeMachineOf(db, sandbox)
  try {
    const figures = await keeper.engineOf(machine).figures?.(machine.handle)
    return {
      at: new Date(clock.now()).toISOString(),
      cpu: figures?.cpu ?? null,
      memory: figures?.memory ?? null,
      disk: figures?.disk ?? null,
      network: figures?.network ?? null,
    }
  } catch (cause) {
    // It has just ended or been hibernated, and the row will soon reflect that.
    if (cause instanceof MachineError && cause.code !== 'UNREACHABLE') throw notRunning(sandbox, cause)
    throw engineFailure(cause) ?? cause
  }
}

function notRunning({ status }: SandboxRow, cause?: unknown): ApiError {
  const message =
    cause === undefined
      ? `The sandbox is ${status}; it uses nothing.`
      : 'The machine of the sandbox has ended.'
  return new ApiError('sandbox.STATE', { message, cause })
}
