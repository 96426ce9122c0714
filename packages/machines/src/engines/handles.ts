import { MachineError } from '../contract/errors.ts'
import type { MachineHandle } from '../contract/handle.ts'

const version = 1

/** The handles of an engine whose machines have nothing but an id. */
export function engineHandles(engine: string) {
  return {
    handleOf: (id: string): MachineHandle => ({ engine, version, state: { id } }),
    /** Returns the id from a handle of this engine. */
    idOf(handle: MachineHandle): string {
      const { state } = handle
      const id =
        state !== null && typeof state === 'object' && !Array.isArray(state) ? state['id'] : undefined
      if (
        handle.engine !== engine ||
        handle.version !== version ||
        typeof id !== 'string' ||
        !/^[a-z0-9-]+$/.test(id)
      ) {
        throw new MachineError('INVALID', `this is not a handle of the ${engine} engine`)
      }
      return id
    },
  }
}
