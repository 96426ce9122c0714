import type { Capacity } from '../../../contract/engine.ts'
import type { EngineMember } from '../../../contract/members.ts'

/** A member whose space is not known yet takes at least one machine. */
const fitsOn = (diskMiB: number, { freeDiskMiB }: Pick<EngineMember, 'freeDiskMiB'>) =>
  freeDiskMiB === undefined ? 1 : Math.floor(freeDiskMiB / diskMiB)

export function capacityOf(members: readonly Omit<EngineMember, 'machines'>[], diskMiB: number): Capacity {
  const online = members.filter(({ status }) => status === 'online')
  const fits = online.reduce((sum, member) => sum + fitsOn(diskMiB, member), 0)
  if (fits > 0) return { fits }
  const reason =
    online.length === 0
      ? 'No member of the cluster is online.'
      : 'The storage pools of all members are full. Delete sandboxes or snapshots, or add a member.'
  return { fits, reason }
}
