import { z } from 'zod'
import type { Check } from '../../../contract/check.ts'
import { read } from '../client/answers.ts'
import type { IncusClient } from '../client/index.ts'
import type { ClusterMember } from '../list-members.ts'
import type { ClusterNames } from './names.ts'
import { findPool } from './pool.ts'

const stateSchema = z.object({
  sysinfo: z.object({ total_ram: z.number(), free_ram: z.number() }),
  storage_pools: z
    .record(z.string(), z.object({ space: z.object({ used: z.number(), total: z.number() }).nullish() }))
    .nullish(),
})

/** What a member has, in GiB. */
export interface MemberRoom {
  readonly diskUsedGiB: number
  readonly diskGiB: number
  readonly memoryGiB: number
}

const gib = 1024 ** 3
const deadlineMs = 5_000
/** Above it, machines soon cannot write any more. */
const fullFrom = 0.9

/** Asks a member what it has. Returns undefined if it does not answer in time. */
export async function roomOf(
  incus: IncusClient,
  { pool }: ClusterNames,
  member: string,
): Promise<MemberRoom | undefined> {
  const path = `/cluster/members/${encodeURIComponent(member)}/state`
  const found = await incus.get(path, { deadlineMs }).catch(() => undefined)
  if (found === undefined) return undefined
  const { sysinfo, storage_pools } = read(stateSchema, found, 'the state of a member')
  const space = storage_pools?.[pool]?.space
  return {
    diskUsedGiB: (space?.used ?? 0) / gib,
    diskGiB: (space?.total ?? 0) / gib,
    memoryGiB: sysinfo.total_ram / gib,
  }
}

/** Checks the pool, and how full it is on each member that answers. */
export async function checkPool(
  { incus, names }: { readonly incus: IncusClient; readonly names: ClusterNames },
  members: readonly ClusterMember[],
): Promise<Omit<Check, 'name'>> {
  const fix = 'npm run cluster -- init, on a member'
  const pool = await findPool({ incus, names })
  if (!pool) return { result: 'fail', what: `there is no storage pool ${names.pool}`, fix }
  if (pool.status !== 'Created')
    return { result: 'fail', what: `the storage pool ${names.pool} is ${pool.status.toLowerCase()}`, fix }
  const rooms = await Promise.all(
    members
      .filter(({ status }) => status !== 'Offline')
      .map(async ({ name }) => ({ name, room: await roomOf(incus, names, name) })),
  )
  const listed = rooms.map(({ name, room }) => `${name} ${room ? describeDisk(room) : 'does not answer'}`)
  const what = `${names.pool} (${pool.driver}): ${listed.join(', ')}`
  const full = rooms.find(({ room }) => room && room.diskUsedGiB > fullFrom * room.diskGiB)
  if (full)
    return { result: 'warn', what, fix: `delete sandboxes and images, or give ${full.name} a larger disk` }
  if (pool.driver === 'dir')
    return {
      result: 'warn',
      what: `${what}; without snapshots, creating and forking machines is ten times slower`,
      fix: 'make the cluster anew with btrfs or ZFS (docs/cluster.md)',
    }
  return { result: 'ok', what }
}

export const describeDisk = ({ diskUsedGiB, diskGiB }: MemberRoom): string =>
  `${Math.max(0, diskGiB - diskUsedGiB).toFixed(1)} of ${diskGiB.toFixed(1)} GiB free`
