import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MachineSpec } from '../../contract/spec.ts'
import type { MachinePaths } from './machine-paths.ts'
import { ociConfig } from './oci/oci-config.ts'
import { writeShownLimits } from './oci/shown-limits.ts'
import type { UidRange } from './oci/uid-ranges.ts'
import { createSocketFolders } from './rootfs/socket-folders.ts'
import type { Starter } from './starter.ts'

/** A container that is to be started from a mounted root. */
export interface NewContainer {
  readonly name: string
  readonly spec: MachineSpec
  readonly paths: MachinePaths
  readonly range: UidRange
  /** The file of its network namespace. */
  readonly networkNamespace: string
  readonly isGvisor: boolean
  /** Whether it waits for a machine, which is told it later. */
  readonly isWaiting: boolean
}

/** Creates the folders by which the service and a container share files. */
export async function createRunFolders(paths: MachinePaths, range: UidRange): Promise<void> {
  // Only the root user of the machine may traverse this folder, because the display accepts every client that reaches
  // it.
  await chown(paths.run, 0, range.base)
  await chmod(paths.run, 0o710)
  await mkdir(paths.bundle, { recursive: true })
  await createSocketFolders(paths)
}

/** Writes what the runtime reads to start a container, whose folders are there. */
export async function writeBundle(
  { settings, layout, processors, guestDir, apparmor }: Starter,
  container: NewContainer,
): Promise<void> {
  const { name, spec, paths, range, networkNamespace, isGvisor, isWaiting } = container
  writeShownLimits(paths, spec, processors.count(spec.cpus))
  const config = ociConfig({
    settings,
    spec,
    paths,
    container: name,
    isWaiting,
    range,
    layout,
    guestDir,
    isGvisor,
    ...(isGvisor && { cores: processors.place(spec.id, spec.cpus) }),
    apparmor,
    networkNamespace,
  })
  await writeFile(join(paths.bundle, 'config.json'), JSON.stringify(config))
}
