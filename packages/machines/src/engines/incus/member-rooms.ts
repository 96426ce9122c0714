import { z } from 'zod'
import type { EngineMember } from '../../contract/members.ts'
import { read } from './client/answers.ts'
import type { IncusClient } from './client/index.ts'
import { readServer } from './setup/server.ts'

/** A member reads much about its hardware for this, so it is not asked each time. */
const hardwareEveryMs = 15_000

const Space = z.object({ used: z.number().default(0), total: z.number().default(0) })
const State = z.object({ storage_pools: z.record(z.string(), z.object({ space: Space })).nullish() })
const Resources = z.object({
  cpu: z.object({ total: z.number() }),
  memory: z.object({ used: z.number(), total: z.number() }),
})

type Hardware = Required<Pick<EngineMember, 'cpus' | 'memoryMiB' | 'freeMemoryMiB'>> & {
  readonly hasVirtualMachines: boolean
}
type Disk = Pick<EngineMember, 'freeDiskMiB'>

/** What a member has, and how much of it is left, as far as it is known. */
export type MemberRoom = Disk & Partial<Hardware>

const mebi = (bytes: number) => Math.max(0, Math.floor(bytes / 2 ** 20))

/** What the members have left for machines, as they last said. */
export class MemberRooms {
  readonly #client: IncusClient
  readonly #pool: string
  readonly #deadlineMs: number
  readonly #disks = new Map<string, Disk>()
  readonly #hardware = new Map<string, { readonly is: Hardware; readonly atMs: number }>()

  constructor(client: IncusClient, pool: string, deadlineMs: number) {
    this.#client = client
    this.#pool = pool
    this.#deadlineMs = deadlineMs
  }

  of(member: string): MemberRoom {
    return { ...this.#disks.get(member), ...this.#hardware.get(member)?.is }
  }

  /** Asks a member, and fails if it does not answer. What was known of it is kept then. */
  async measure(member: string): Promise<void> {
    const [state] = await Promise.allSettled([this.#measureDisk(member), this.#measureHardware(member)])
    if (state.status === 'rejected') throw state.reason
  }

  async #measureDisk(member: string): Promise<void> {
    const path = `/cluster/members/${encodeURIComponent(member)}/state`
    const state = read(State, await this.#get(path), 'the state of a member')
    const space = state.storage_pools?.[this.#pool]?.space
    this.#disks.set(member, space ? { freeDiskMiB: mebi(space.total - space.used) } : {})
  }

  async #measureHardware(member: string): Promise<void> {
    const atMs = performance.now()
    if (atMs - (this.#hardware.get(member)?.atMs ?? Number.NEGATIVE_INFINITY) < hardwareEveryMs) return
    const [resources, { hasVirtualMachines }] = await Promise.all([
      this.#get(`/resources?target=${encodeURIComponent(member)}`),
      readServer(this.#client, member, { deadlineMs: this.#deadlineMs }),
    ])
    const { cpu, memory } = read(Resources, resources, 'the resources of a member')
    const is = {
      cpus: cpu.total,
      memoryMiB: mebi(memory.total),
      // The state of a member has less, because it counts files that the kernel keeps in memory as used.
      freeMemoryMiB: mebi(memory.total - memory.used),
      hasVirtualMachines,
    }
    this.#hardware.set(member, { is, atMs })
  }

  #get(path: string): Promise<unknown> {
    return this.#client.get(path, { deadlineMs: this.#deadlineMs })
  }
}
