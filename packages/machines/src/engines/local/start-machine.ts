import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MachineError } from '../../contract/errors.ts'
import type { MachineSpec } from '../../contract/spec.ts'
import { paintsDesktop } from './guest/desktop-painted.ts'
import { awaitDesktop } from './guest/desktop-ready.ts'
import { type MachinePaths, machinePaths } from './machine-paths.ts'
import { netnsPath } from './network/namespaces.ts'
import { applyPolicy, attachLink, createNamespace } from './network/network.ts'
import { awaitSocket } from './network/unix-socket.ts'
import { type CgroupLayout, groupOf, limitProcessor, openProcessorSets } from './oci/cgroups.ts'
import { noteInit } from './oci/init-process.ts'
import { ociConfig } from './oci/oci-config.ts'
import type { ProcessorSets } from './oci/processor-sets.ts'
import type { Runtimes } from './oci/runtimes.ts'
import { showUse, writeShownLimits } from './oci/shown-limits.ts'
import type { UidRange } from './oci/uid-ranges.ts'
import type { Settings } from './options.ts'
import type { Lower, MachineRecord } from './records.ts'
import { mountDisk, repairDisk } from './rootfs/disk.ts'
import { mountsBelow, unmountBelow } from './rootfs/mounts.ts'
import { ownerOf } from './rootfs/prepared-root.ts'
import { mountRootfs } from './rootfs/rootfs.ts'
import { createSocketFolders } from './rootfs/socket-folders.ts'
import { attachVolumes } from './volumes/volume-mounts.ts'

export interface Starter {
  readonly settings: Settings
  readonly runtimes: Runtimes
  readonly layout: CgroupLayout
  readonly processors: ProcessorSets
  readonly guestDir: string
  readonly apparmor: string | undefined
  readonly lower: Lower
}

export interface Starting {
  readonly signal?: AbortSignal | undefined
  /** Called when the machine can be opened, while its desktop is still starting. */
  readonly onReachable?: () => void
}

export async function mountMachineRoot(settings: Settings, record: MachineRecord): Promise<void> {
  const { lower, index, spec } = record
  const folder = join(settings.imagesDir, lower.folder)
  await mountRootfs(machinePaths(settings, spec.id), folder, ownerOf(settings, lower, index))
}

/**
 * Mounts the root of a machine unless it is mounted already. It is still mounted after a restart of the service, but
 * not after a reboot of the host.
 */
export async function ensureRoot(settings: Settings, record: MachineRecord): Promise<void> {
  const paths = machinePaths(settings, record.spec.id)
  const mounted = await mountsBelow(paths.run)
  if (!mounted.includes(paths.diskMount)) {
    await mkdir(paths.run, { recursive: true })
    await repairDisk(paths.disk)
    await mountDisk(paths, record.range, { base: record.diskBase ?? record.range.base })
  }
  if (mounted.includes(paths.rootfs) && mounted.includes(paths.userNamespace)) return
  // The root of a machine that an earlier version of the service created has no user namespace.
  await unmountBelow(paths.rootfs)
  await mountMachineRoot(settings, record)
}

async function createRunFolders(paths: MachinePaths, range: UidRange): Promise<void> {
  // Only the root user of the machine may traverse this folder, because the display accepts every client that reaches
  // it.
  await chown(paths.run, 0, range.base)
  await chmod(paths.run, 0o710)
  await mkdir(paths.bundle, { recursive: true })
  await createSocketFolders(paths)
}

/**
 * Creates the network namespace of a machine with its link, for a runtime that takes the network over at its start and
 * creates the user namespace itself. Returns the file of the namespace.
 */
async function createConnected(settings: Settings, spec: MachineSpec, index: number): Promise<string> {
  const [netns] = await Promise.all([createNamespace(settings, index), applyPolicy(settings, spec, index)])
  await attachLink(settings, spec, index, netns)
  return netnsPath(netns)
}

/**
 * Starts a machine from its mounted root, in its network, whose policy is in force and whose link is up. Resolves when
 * its desktop answers and is painted.
 */
export async function startMachine(
  starter: Starter,
  record: MachineRecord,
  { signal, onReachable = () => {} }: Starting = {},
): Promise<void> {
  const { settings, layout, processors, guestDir, apparmor } = starter
  const runtime = starter.runtimes.of(record)
  const { spec, index } = record
  const paths = machinePaths(settings, spec.id)
  await createRunFolders(paths, record.range)
  const visible = processors.count(spec.cpus)
  writeShownLimits(paths, spec, visible)
  await attachVolumes(settings, record)
  const { isGvisor } = runtime
  if (isGvisor) await openProcessorSets(layout, settings.instance)
  const networkNamespace = isGvisor ? await createConnected(settings, spec, index) : paths.networkNamespace
  const config = ociConfig({
    settings,
    spec,
    paths,
    range: record.range,
    layout,
    guestDir,
    isGvisor,
    cores: processors.place(spec.id, spec.cpus),
    apparmor,
    networkNamespace,
  })
  await writeFile(join(paths.bundle, 'config.json'), JSON.stringify(config))
  const timeout = AbortSignal.timeout(settings.readyTimeoutMs)
  const stop = new AbortController()
  const end = AbortSignal.any([timeout, stop.signal, ...(signal ? [signal] : [])])
  // Watching begins before there is anything to see.
  const isPainted = paintsDesktop(join(settings.imagesDir, record.lower.folder))
  const desktop = awaitDesktop(paths.x11, isPainted, end)
  const agent = awaitSocket(paths.sockets, 'agent', end).then(socket => socket.destroy())
  const run = async () => {
    await runtime.start(spec.id, paths, end)
    if (!(await noteInit(paths)))
      throw new MachineError('MACHINE_FAILED', `machine ${spec.id} ended immediately after it started`)
  }
  const started = run()
  const reachable = Promise.all([started, agent]).then(onReachable)
  try {
    await Promise.all([reachable, desktop])
    await Promise.all([
      limitProcessor(layout, groupOf(settings.instance, spec.id), spec.cpus),
      processors.confine(spec.id, spec.cpus),
    ])
    showUse(paths, { layout, instance: settings.instance, id: spec.id, processors: visible })
  } catch (error) {
    processors.remove(spec.id)
    signal?.throwIfAborted()
    if (!timeout.aborted) throw error
    throw new MachineError(
      'MACHINE_FAILED',
      `the desktop of machine ${spec.id} was not ready within ${settings.readyTimeoutMs} ms`,
      { cause: error },
    )
  } finally {
    stop.abort()
    await Promise.allSettled([started, reachable, desktop, agent])
  }
}
