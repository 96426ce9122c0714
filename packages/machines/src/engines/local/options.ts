import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Where the router's uplink ends. `host`: on the host's own network, which forwards and translates.
 * A network namespace by name: there, set up in the same way. `none`: nowhere, so nothing leaves.
 */
export type Uplink = 'host' | 'none' | { readonly netns: string }

export interface LocalEngineOptions {
  /** Images, disks and records of machines. One engine at a time makes machines there. */
  readonly dataDir: string
  readonly uplink: Uplink
  /** Where images are kept, `images` in the data directory unless given; engines may share it. */
  readonly imagesDir?: string
  /** An OCI runtime with runc's command line. */
  readonly runtime?: string
  /** Further options before the runtime's own command, such as `--platform=systrap`. */
  readonly runtimeFlags?: readonly string[]
  /** Name servers for the sandboxes, IPv4; those of the host unless given. */
  readonly resolvers?: readonly string[]
  /** False gives all machines one range of user ids, as on hosts that cannot map owners in a mount. */
  readonly mapOwners?: boolean
  readonly maxMachines?: number
  /** How long a desktop may take to come up. */
  readonly readyTimeoutMs?: number
  /** Memory and disk of the host that machines leave alone. */
  readonly reserveMemoryMiB?: number
  readonly reserveDiskMiB?: number
  /** How many times the disk of the host may be promised to machines. With 1, each disk is allocated when it is made. */
  readonly diskOvercommit?: number
  /** Images that cannot be used yet, each with the reason for a person. Whoever builds them keeps it up to date. */
  readonly unavailableImages?: ReadonlyMap<string, string>
}

/** The options with every choice made, and the names that keep two engines of one host apart. */
export interface Settings {
  readonly instance: string
  readonly dataDir: string
  readonly machinesDir: string
  readonly preparedDir: string
  readonly imagesDir: string
  /** Mounts, sockets and the runtime's state: gone after a reboot, like the machines' processes. */
  readonly runDir: string
  readonly uplink: Uplink
  readonly runtime: string
  readonly runtimeFlags: readonly string[]
  readonly resolvers: readonly string[] | undefined
  readonly mapOwners: boolean
  readonly maxMachines: number
  readonly readyTimeoutMs: number
  readonly reserveMemoryMiB: number
  readonly reserveDiskMiB: number
  readonly diskOvercommit: number
  readonly unavailableImages: ReadonlyMap<string, string>
}

export function settle(options: LocalEngineOptions): Settings {
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 })
  const dataDir = realpathSync(options.dataDir)
  const instance = createHash('sha256').update(dataDir).digest('hex').slice(0, 8)
  return {
    instance,
    dataDir,
    machinesDir: join(dataDir, 'machines'),
    preparedDir: join(dataDir, 'prepared'),
    imagesDir: options.imagesDir ?? join(dataDir, 'images'),
    // Short, because a unix socket's path has 108 bytes; under /run, because its parents let every uid pass.
    runDir: `/run/sandglass/${instance}`,
    uplink: options.uplink,
    runtime: options.runtime ?? 'runc',
    runtimeFlags: options.runtimeFlags ?? [],
    resolvers: options.resolvers,
    mapOwners: options.mapOwners ?? true,
    maxMachines: options.maxMachines ?? 1000,
    readyTimeoutMs: options.readyTimeoutMs ?? 30_000,
    reserveMemoryMiB: options.reserveMemoryMiB ?? 768,
    reserveDiskMiB: options.reserveDiskMiB ?? 2048,
    diskOvercommit: options.diskOvercommit ?? 10,
    unavailableImages: options.unavailableImages ?? new Map(),
  }
}
