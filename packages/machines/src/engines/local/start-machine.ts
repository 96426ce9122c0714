import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MachineError } from '../../contract/errors.ts'
import type { MachineSpec } from '../../contract/spec.ts'
import { createRunFolders, writeBundle } from './bundle.ts'
import { paintsDesktop } from './guest/desktop-painted.ts'
import { awaitDesktop } from './guest/desktop-ready.ts'
import { machinePaths } from './machine-paths.ts'
import { netnsPath } from './network/namespaces.ts'
import { applyPolicy, attachLink, createNamespace } from './network/network.ts'
import { awaitSocket } from './network/unix-socket.ts'
import { groupOf, limitProcessor, openProcessorSets } from './oci/cgroups.ts'
import { containerOf } from './oci/containers.ts'
import { noteInit } from './oci/init-process.ts'
import { showUse } from './oci/shown-limits.ts'
import type { Settings } from './options.ts'
import type { MachineRecord } from './records.ts'
import { mountDisk, repairDisk } from './rootfs/disk.ts'
import { mountsBelow, unmountBelow } from './rootfs/mounts.ts'
import { ownerOf } from './rootfs/prepared-root.ts'
import { mountRootfs } from './rootfs/rootfs.ts'
import type { Starter } from './starter.ts'
import { attachVolumes } from './volumes/volume-mounts.ts'
import { becomeMachine } from './waiting-container.ts'

export interface Starting {
  readonly signal?: AbortSignal | undefined
  /** Called when the machine can be opened, while its desktop is still starting. */
  readonly onReachable?: () => void
  /** Whether its container waits for it. */
  readonly isWaiting?: boolean
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

/**
 * Creates the network namespace of a machine with its link, for a runtime that takes the network over at its start and
 * creates the user namespace itself. Returns the file of the namespace.
 */
async function createConnected(settings: Settings, spec: MachineSpec, index: number): Promise<string> {
  const [netns] = await Promise.all([createNamespace(settings, index), applyPolicy(settings, spec, index)])
  await attachLink(settings, spec, index, netns)
  return netnsPath(netns)
}

/** Starts the container of a machine from its mounted root, in its network, whose policy is in force and whose link is up. */
async function startContainer(starter: Starter, record: MachineRecord, signal: AbortSignal): Promise<void> {
  const { settings, layout } = starter
  const runtime = starter.runtimes.of(record)
  const { spec, index, range } = record
  const { isGvisor } = runtime
  const paths = machinePaths(settings, spec.id)
  const name = containerOf(record)
  await attachVolumes(settings, record)
  if (isGvisor) await openProcessorSets(layout, settings.instance)
  const networkNamespace = isGvisor ? await createConnected(settings, spec, index) : paths.networkNamespace
  const isWaiting = false
  await writeBundle(starter, { name, spec, paths, range, networkNamespace, isGvisor, isWaiting })
  await runtime.start(name, paths, signal)
  if (!(await noteInit(paths)))
    throw new MachineError('MACHINE_FAILED', `machine ${spec.id} ended immediately after it started`)
}

/** Starts a machine, or tells the container that waits for it to. Resolves when its desktop answers and is painted. */
export async function startMachine(
  starter: Starter,
  record: MachineRecord,
  { signal, onReachable = () => {}, isWaiting = false }: Starting = {},
): Promise<void> {
  const { settings, layout, processors } = starter
  const { spec } = record
  const paths = machinePaths(settings, spec.id)
  if (!isWaiting) await createRunFolders(paths, record.range)
  const timeout = AbortSignal.timeout(settings.readyTimeoutMs)
  const stop = new AbortController()
  const end = AbortSignal.any([timeout, stop.signal, ...(signal ? [signal] : [])])
  // Watching begins before there is anything to see.
  const isPainted = paintsDesktop(join(settings.imagesDir, record.lower.folder))
  const desktop = awaitDesktop(paths.x11, isPainted, end)
  const agent = awaitSocket(paths.sockets, 'agent', end).then(socket => socket.destroy())
  const started = isWaiting ? becomeMachine(starter, record, end) : startContainer(starter, record, end)
  const reachable = Promise.all([started, agent]).then(onReachable)
  try {
    await Promise.all([reachable, desktop])
    const group = groupOf(settings.instance, containerOf(record))
    await Promise.all([limitProcessor(layout, group, spec.cpus), processors.confine(spec.id, spec.cpus)])
    showUse(paths, { layout, group, processors: processors.count(spec.cpus) })
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
