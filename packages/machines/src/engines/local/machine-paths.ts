import { join } from 'node:path'
import type { Settings } from './options.ts'

/** All paths of one machine on the host. */
export interface MachinePaths {
  /** Survives a reboot of the host. */
  readonly home: string
  readonly record: string
  readonly disk: string
  /** Does not survive a reboot. */
  readonly run: string
  readonly diskMount: string
  readonly upper: string
  readonly work: string
  readonly lower: string
  readonly rootfs: string
  /** The user namespace that the machine will have, or has. */
  readonly userNamespace: string
  /** The network namespace of the machine. */
  readonly networkNamespace: string
  readonly bundle: string
  readonly sockets: string
  readonly x11: string
  /** Has a folder for each volume of the machine. */
  readonly volumes: string
  /** Files that tell the machine its limits, in place of those that tell the host's. */
  readonly shownLimits: string
  readonly pidFile: string
  readonly runtimeLog: string
}

export const machinePaths = (settings: Settings, id: string): MachinePaths =>
  pathsIn(
    join(settings.machinesDir, id),
    join(disksOfMachines(settings), diskName(id)),
    join(settings.runDir, 'm', id),
  )

/** The paths of a root that was prepared before its machine was requested. */
export const preparedPaths = (settings: Settings, name: string): MachinePaths =>
  pathsIn(
    join(settings.preparedDir, name),
    join(disksOfPrepared(settings), diskName(name)),
    join(settings.runDir, 'prepared', name),
  )

type Disks = Pick<Settings, 'disksDir'>

export const disksOfMachines = ({ disksDir }: Disks): string => join(disksDir, 'machines')

export const disksOfPrepared = ({ disksDir }: Disks): string => join(disksDir, 'prepared')

/** Disks of volumes, which outlive machines. */
export const disksOfVolumes = ({ disksDir }: Disks): string => join(disksDir, 'volumes')

/** Disks that were saved, and belong to no machine. */
export const savedDisks = ({ disksDir }: Disks): string => join(disksDir, 'saved')

/** The name of the file of a disk, by the id of what it belongs to. */
export const diskName = (id: string): string => `${id}.ext4`

function pathsIn(home: string, disk: string, run: string): MachinePaths {
  const diskMount = join(run, 'disk')
  return {
    home,
    record: join(home, 'machine.json'),
    disk,
    run,
    diskMount,
    upper: join(diskMount, 'upper'),
    work: join(diskMount, 'work'),
    lower: join(run, 'lower'),
    rootfs: join(run, 'rootfs'),
    userNamespace: join(run, 'user-namespace'),
    networkNamespace: join(run, 'network-namespace'),
    bundle: join(run, 'bundle'),
    sockets: join(run, 'sockets'),
    x11: join(run, 'x11'),
    volumes: join(run, 'volumes'),
    shownLimits: join(run, 'shown-limits'),
    pidFile: join(run, 'pid'),
    runtimeLog: join(run, 'runtime.log'),
  }
}
