import type { MachineOwner } from '@sandglass/machines/contract'

/** Whether the owner that is recorded on a machine is this node. The caller has already compared the installation. */
export function isMadeFor(nodeId: string, owner: Pick<MachineOwner, 'node'>): boolean {
  return owner.node === nodeId
}
