import { readdir, readFile, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { type MachinePaths, machinePaths } from './machine-paths.ts'
import { detachNetwork, removeUnusedNetwork } from './network/network.ts'
import { type CgroupLayout, groupOf, processesOf, removeGroup, thaw } from './oci/cgroups.ts'
import { containerOf } from './oci/containers.ts'
import { findInit, hasEnded } from './oci/init-process.ts'
import type { Runtime } from './oci/runtime.ts'
import { type Runtimes, runtimeNames } from './oci/runtimes.ts'
import type { Settings } from './options.ts'
import { indexOf, readRecord, releaseIndex } from './records.ts'
import { unmountBelow } from './rootfs/mounts.ts'
import { removeTree } from './rootfs/remove-tree.ts'
import { forgetShared } from './storage/shared-blocks.ts'
import { unmountUnusedVolumes } from './volumes/volume-mounts.ts'

/** What is needed to end the processes of a container. */
export interface Ender {
  readonly settings: Settings
  readonly runtime: Runtime
  readonly layout: CgroupLayout
}

/** Ends every process of a container, even if it is paused or the runtime has lost track of it. */
export async function endProcesses(
  { settings, runtime, layout }: Ender,
  paths: MachinePaths,
  container: string,
): Promise<void> {
  const group = groupOf(settings.instance, container)
  await endCommands(settings, paths)
  await thaw(layout, group)
  const init = await findInit(paths)
  // The kernel kills the whole pid namespace together with its first process.
  if (init) kill(init.pid)
  for (const pid of await processesOf(layout, group)) kill(pid)
  // Wait here, because the runtime itself would poll only every 100 ms.
  await hasEnded(paths, 10_000)
  await runtime.delete(container)
  await removeGroup(group)
}

/** The names under which runtimes run, also as the processes of gVisor outside of a machine's cgroup. */
const runtimeCommands = [...runtimeNames, 'runsc-sandbox', 'runsc-gofer', 'unshare', 'sh']

/**
 * Kills commands that a crashed service started for this machine and that still run. They could mount or start
 * something after it was removed.
 */
export async function endCommands(settings: Settings, paths: MachinePaths): Promise<void> {
  const commands = new Set([settings.runtime, ...runtimeCommands, 'mount', 'mkfs.ext4', 'perl'])
  for (const pid of (await readdir('/proc')).filter(name => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    const [command = '', ...args] = line.split('\0')
    if (!commands.has(command)) continue
    const places = args.map(arg => arg.replace(/^--\w+=/, ''))
    const ours = places.some(path => path.startsWith(`${paths.run}/`) || path.startsWith(`${paths.home}/`))
    if (ours) kill(Number(pid))
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

/** A service that ended before it wrote the record may have given the machine a prepared network. */
async function removeNetworkWithoutRecord(settings: Settings, id: string): Promise<void> {
  const index = await indexOf(settings, id)
  if (index !== undefined) await removeUnusedNetwork(settings, machinePaths(settings, id), index)
}

/**
 * Removes everything of a machine, in whatever state it is. Its folder is removed last, so that an interrupted
 * removal can be repeated.
 */
export async function removeMachine(
  settings: Settings,
  runtimes: Runtimes,
  layout: CgroupLayout,
  id: string,
): Promise<void> {
  const paths = machinePaths(settings, id)
  const record = await readRecord(settings, id)
  const container = record ? containerOf(record) : id
  await endProcesses({ settings, runtime: runtimes.of(record), layout }, paths, container)
  if (record) await detachNetwork(settings, record.spec, record.index)
  else await removeNetworkWithoutRecord(settings, id)
  await unmountBelow(paths.run)
  if (record?.spec.volumes) await unmountUnusedVolumes(settings)
  // The disk goes first, so that its space is free even if something of the rest cannot be removed.
  await rm(paths.disk, { force: true })
  await forgetShared(settings, basename(paths.disk))
  await removeTree(paths.run)
  await releaseIndex(settings, id)
  await rm(paths.home, { recursive: true, force: true })
}
