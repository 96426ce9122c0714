import { MachineError } from '../../contract/errors.ts'
import { type CgroupLayout, isFrozen } from './cgroups.ts'
import type { Places } from './places.ts'

/** A machine as its callers reach it. */
export interface Guest {
  readonly places: Places
  /** Fails when the machine is paused: it would take the request and answer only when it is resumed. */
  assertAwake(): Promise<void>
}

export function guestOf(id: string, places: Places, layout: CgroupLayout, group: string): Guest {
  return {
    places,
    async assertAwake() {
      if (await isFrozen(layout, group)) throw new MachineError('STATE', `machine ${id} is paused; resume it`)
    },
  }
}
