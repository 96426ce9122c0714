import { MachineError } from '../../contract/errors.ts'
import type { MachineHandle } from '../../contract/handle.ts'

export const engineName = 'local'
const version = 1

export const handleOf = (id: string): MachineHandle => ({ engine: engineName, version, state: { id } })

/** Returns the id from a handle of this engine. */
export function idOf(handle: MachineHandle): string {
  const { state } = handle
  const id = state !== null && typeof state === 'object' && !Array.isArray(state) ? state['id'] : undefined
  if (
    handle.engine !== engineName ||
    handle.version !== version ||
    typeof id !== 'string' ||
    !/^[a-z0-9-]+$/.test(id)
  ) {
    throw new MachineError('INVALID', 'this is not a handle of the local engine')
  }
  return id
}
