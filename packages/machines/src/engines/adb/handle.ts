import { MachineError } from '../../contract/errors.ts'
import type { MachineHandle } from '../../contract/handle.ts'

export const engineName = 'adb'
const version = 1

export const handleOf = (id: string): MachineHandle => ({ engine: engineName, version, state: { id } })

/** Returns the id from a handle of this engine. */
export function idOf({ engine, version: itsVersion, state }: MachineHandle): string {
  const id = state !== null && typeof state === 'object' && !Array.isArray(state) ? state['id'] : undefined
  if (engine === engineName && itsVersion === version && typeof id === 'string' && isId(id)) return id
  throw new MachineError('INVALID', 'this is not a handle of the adb engine')
}

/** Ids are restricted because they become file names. */
export function isId(text: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,39}$/.test(text)
}
