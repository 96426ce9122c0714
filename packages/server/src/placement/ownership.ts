import type { MachineOwner } from '@sandglass/machines/contract'

/** Whether a machine was made for this node of the installation, by what it says of itself. */
export function isMadeFor(nodeId: string, owner: Pick<MachineOwner, 'node'>): boolean {
  return owner.node === nodeId
}
