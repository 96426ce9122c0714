import { MachineError } from '../../contract/errors.ts'
import { type CgroupLayout, isFrozen } from './cgroups.ts'
import type { Places } from './places.ts'
import type { PortDialer } from './port-dialer.ts'

/** A machine as its callers reach it. */
export interface Guest {
  readonly places: Places
  /** Fails when the machine is paused: it would take the request and answer only when it is resumed. */
  assertAwake(): Promise<void>
  /** Reaches its ports from the host, where its network is the kernel's own. */
  readonly ports: PortDialer | undefined
}

export function guestOf(
  id: string,
  places: Places,
  layout: CgroupLayout,
  group: string,
  ports?: PortDialer,
): Guest {
  return {
    places,
    ports,
    async assertAwake() {
      if (await isFrozen(layout, group)) throw new MachineError('STATE', `machine ${id} is paused; resume it`)
    },
  }
}
