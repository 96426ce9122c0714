import type { MachineHandle } from '../../contract/handle.ts'
import { engineHandles } from '../handles.ts'

export const engineName = 'incus'
const handles = engineHandles(engineName)
export const { idOf } = handles

/** @param instance the instance of the machine, if it is not named after it */
export function handleOf(id: string, instance?: string): MachineHandle {
  const usual = handles.handleOf(id)
  return instance === undefined ? usual : { ...usual, state: { id, instance } }
}

/** The instance that a handle names. */
export function instanceIn({ state }: MachineHandle): string | undefined {
  const instance =
    state !== null && typeof state === 'object' && !Array.isArray(state) ? state['instance'] : undefined
  return typeof instance === 'string' && /^p-[a-z0-9]+$/.test(instance) ? instance : undefined
}
