import { MachineError } from '../../../contract/errors.ts'
import type { PortDialer } from '../network/port-dialer.ts'
import { type CgroupLayout, groupOf, isFrozen } from '../oci/cgroups.ts'
import type { Settings } from '../options.ts'
import { type Places, placesOf } from '../places.ts'
import { assertStorable } from '../rootfs/storable.ts'

/** A machine as its callers reach it. */
export interface Guest {
  readonly places: Places
  /** Fails when the machine is paused: it would take the request and answer only when it is resumed. */
  assertAwake(): Promise<void>
  /** Reaches its ports from the host, where its network is the kernel's own. */
  readonly ports: PortDialer | undefined
  /** Fails when the host has no space for so many more bytes on the machine's disk. */
  assertStorable(bytes: number): Promise<void>
}

export function guestOf(id: string, settings: Settings, layout: CgroupLayout, ports?: PortDialer): Guest {
  const places = placesOf(settings, id)
  return {
    places,
    ports,
    assertStorable: bytes => assertStorable(settings, places.disk, bytes),
    async assertAwake() {
      const group = groupOf(settings.instance, id)
      if (await isFrozen(layout, group)) throw new MachineError('STATE', `machine ${id} is paused; resume it`)
    },
  }
}
