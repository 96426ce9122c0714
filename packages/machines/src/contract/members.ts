/**
 * Whether a member of a cluster runs machines.
 *
 * `online`: it does, and gets new ones. `draining`: it keeps its machines and gets no new ones. `evacuated`: the operator of
 * the cluster has moved or stopped its machines. `offline`: the cluster has given it up, and its machines are `lost`.
 */
export type MemberStatus = 'online' | 'draining' | 'evacuated' | 'offline'

/** One of the hosts of a cluster, as the engine last saw it. */
export interface EngineMember {
  /** Unique in the cluster. */
  readonly name: string
  readonly status: MemberStatus
  /** Why it is not online, as a sentence for a person. */
  readonly reason?: string
  /** How many machines it has, of all nodes that use the cluster. */
  readonly machines: number
  /** How many more machines fit, if that is known. 0 if not even a small one does. */
  readonly fits?: number
  /** What it has in all. */
  readonly cpus?: number
  readonly memoryMiB?: number
  /** What programs can still take without swapping. */
  readonly freeMemoryMiB?: number
  readonly freeDiskMiB?: number
}

/** Where in a cluster a machine is to be created. */
export interface MachinePlace {
  /** The {@link EngineMember.name} that is preferred. The engine chooses another one if that member takes no machines. */
  readonly member?: string
}
