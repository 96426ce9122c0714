import { clusterDoctor } from './doctor.ts'
import { describeDisk, roomOf } from './member-storage.ts'
import type { SetupContext } from './setup-context.ts'

/** What `status` means for machines. */
const meanings: Readonly<Record<string, string>> = {
  Online: 'gets machines',
  Evacuated: 'drained: gets no machines',
  Offline: 'LOST: its machines are in ERROR until it returns',
  Blocked: 'BLOCKED: waits until all members have the same version of Incus',
}

/** Prints the members and what is wrong. Returns whether machines can be made everywhere. */
export async function tellStatus({ incus, names, tell }: SetupContext): Promise<boolean> {
  const { members, checks } = await clusterDoctor({ incus, names })
  for (const { name, status, url, roles } of members) {
    const room = status === 'Offline' ? undefined : await roomOf(incus, names, name)
    const parts = [
      meanings[status] ?? status,
      ...(room ? [describeDisk(room), `${room.memoryGiB.toFixed(1)} GiB of memory`] : []),
      ...roles,
    ]
    tell(`${name}  ${url}  ${parts.join(', ')}`)
  }
  for (const { name, result, what, fix } of checks) {
    if (result === 'ok' && name !== 'cluster images') continue
    tell(`${result === 'ok' ? name : `${result}  ${name}`}: ${what}`)
    if (fix !== undefined) tell(`      fix: ${fix}`)
  }
  return checks.every(({ result }) => result !== 'fail')
}
