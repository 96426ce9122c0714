import { join } from 'node:path'
import type { Settings } from './options.ts'

/** The file name of a machine's disk. */
export const diskName = 'disk.ext4'

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
  readonly pidFile: string
  readonly runtimeLog: string
}

export const machinePaths = (settings: Settings, id: string): MachinePaths =>
  pathsIn(join(settings.machinesDir, id), join(settings.runDir, 'm', id))

/** The paths of a root that was prepared before its machine was requested. */
export const preparedPaths = (settings: Settings, name: string): MachinePaths =>
  pathsIn(join(settings.preparedDir, name), join(settings.runDir, 'prepared', name))

function pathsIn(home: string, run: string): MachinePaths {
  const diskMount = join(run, 'disk')
  return {
    home,
    record: join(home, 'machine.json'),
    disk: join(home, diskName),
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
    pidFile: join(run, 'pid'),
    runtimeLog: join(run, 'runtime.log'),
  }
}
