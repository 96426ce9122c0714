import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { BaseImageBuild } from '../../contract/engine.ts'

/**
 * Where the uplink of the router ends: `host` is the network of the host itself, which forwards and translates; a
 * network namespace by name, which is set up in the same way; `none` means that nothing leaves.
 */
export type Uplink = 'host' | 'none' | { readonly netns: string }

export interface LocalEngineOptions {
  /** Holds images, disks and records of machines. Only one engine at a time may create machines in it. */
  readonly dataDir: string
  readonly uplink: Uplink
  /** Where images are kept; defaults to `images` in the data directory. Engines may share it. */
  readonly imagesDir?: string
  /**
   * Whether no other engine uses that directory, so that this one may remove images from it. True by default if the directory is not
   * given.
   */
  readonly ownsImages?: boolean
  /** The OCI runtime for machines whose spec names none: a command with runc's command line. */
  readonly runtime?: string
  /** IPv4 name servers for the sandboxes; defaults to those of the host. */
  readonly resolvers?: readonly string[]
  /** False gives all machines one shared range of user ids, as on hosts that do not support idmapped mounts. */
  readonly mapOwners?: boolean
  readonly maxMachines?: number
  /** How long a desktop may take to start. */
  readonly readyTimeoutMs?: number
  /** Memory and disk of the host that are not available to machines. */
  readonly reserveMemoryMiB?: number
  readonly reserveDiskMiB?: number
  /** Disk of the host that something else may still fill, and that is therefore never promised to machines. */
  readonly unpromisedDiskMiB?: number
  /**
   * How many times over the disk of the host may be promised to machines. With 1, each disk is fully allocated when
   * it is created.
   */
  readonly diskOvercommit?: number
  /**
   * The first size of the volume that has the disks of machines, where the file system of the data directory cannot clone
   * files. 0 means that there is none.
   */
  readonly volumeMiB?: number
  /** Images that cannot be used yet, each with the reason for a person. Whoever builds them keeps it up to date. */
  readonly unavailableImages?: ReadonlyMap<string, string>
  /** The images that are built for shapes, which whoever builds them keeps up to date. */
  readonly imageBuilds?: ReadonlyMap<string, BaseImageBuild>
}

/** The options with all defaults applied, and the names that separate two engines on one host. */
export interface Settings {
  readonly instance: string
  readonly dataDir: string
  readonly machinesDir: string
  readonly preparedDir: string
  /** The records of saved disks. */
  readonly savedDir: string
  /** The records of volumes that machines share. */
  readonly volumesDir: string
  /** The disks of machines, and everything else that is cloned or of which machines have a limited part. */
  readonly disksDir: string
  /** The file of the volume that is mounted there, if there is one. */
  readonly volumeFile: string
  readonly volumeMiB: number
  readonly imagesDir: string
  readonly ownsImages: boolean
  /**
   * Holds mounts, sockets and the state of the runtime. Like the processes of machines, they do not survive a reboot.
   */
  readonly runDir: string
  readonly uplink: Uplink
  readonly runtime: string
  readonly resolvers: readonly string[] | undefined
  readonly mapOwners: boolean
  readonly maxMachines: number
  readonly readyTimeoutMs: number
  readonly reserveMemoryMiB: number
  readonly reserveDiskMiB: number
  readonly unpromisedDiskMiB: number
  readonly diskOvercommit: number
  readonly unavailableImages: ReadonlyMap<string, string>
  readonly imageBuilds: ReadonlyMap<string, BaseImageBuild> | undefined
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
    savedDir: join(dataDir, 'saved'),
    volumesDir: join(dataDir, 'volumes'),
    disksDir: join(dataDir, 'disks'),
    volumeFile: join(dataDir, 'disks.xfs'),
    volumeMiB: options.volumeMiB ?? 4096,
    imagesDir: options.imagesDir ?? join(dataDir, 'images'),
    ownsImages: options.ownsImages ?? options.imagesDir === undefined,
    // The path is short because that of a unix socket is limited to 108 bytes. It is under /run because every user
    // may traverse its parent folders.
    runDir: `/run/sandglass/${instance}`,
    uplink: options.uplink,
    runtime: options.runtime ?? 'runc',
    resolvers: options.resolvers,
    mapOwners: options.mapOwners ?? true,
    maxMachines: options.maxMachines ?? 1000,
    readyTimeoutMs: options.readyTimeoutMs ?? 30_000,
    reserveMemoryMiB: options.reserveMemoryMiB ?? 768,
    reserveDiskMiB: options.reserveDiskMiB ?? 2048,
    unpromisedDiskMiB: options.unpromisedDiskMiB ?? 0,
    diskOvercommit: options.diskOvercommit ?? 1,
    unavailableImages: options.unavailableImages ?? new Map(),
    imageBuilds: options.imageBuilds,
  }
}
