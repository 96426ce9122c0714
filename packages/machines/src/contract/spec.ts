/** One destination that a sandbox may reach. No ports means every port. */
export interface EgressRule {
  /** An IPv4 network such as `203.0.113.0/24`, or a single address. */
  readonly cidr: string
  readonly ports?: readonly number[]
}

/**
 * `internet`: out through NAT, never to private, link-local, metadata or the host's own addresses.
 * `none`: no packet leaves, and no name resolves. A list: exactly what it names, private networks included.
 */
export type Egress = 'internet' | 'none' | readonly EgressRule[]

export interface ScreenSize {
  readonly width: number
  readonly height: number
}

/**
 * Whose machine it is. An engine keeps it with the machine and gives it back in its list, so that whoever looks for
 * machines to clean up touches its own only.
 */
export interface MachineOwner {
  /** The id of the database that the machine is entered in. */
  readonly installation: string
  /** The service process that made it. */
  readonly node: string
  /** Counts the machines of the node; a later one has a greater number. */
  readonly number: number
}

export interface MachineSpec {
  /** Chosen by the caller, unique in the engine: lower-case letters, digits and `-`, 40 characters at most. */
  readonly id: string
  /** The name of an image recipe that the engine knows. */
  readonly image: string
  /** Cores' worth of time, 0.5 for half of one. */
  readonly cpus: number
  readonly memoryMiB: number
  readonly pids: number
  readonly diskMiB: number
  readonly screen?: ScreenSize
  readonly egress?: Egress
  /** Added to the environment of the desktop and of every process. */
  readonly env?: Readonly<Record<string, string>>
  readonly owner?: MachineOwner
}

export const defaultScreen: ScreenSize = { width: 1280, height: 720 }
