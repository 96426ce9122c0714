import { readdir, readFile, rm } from 'node:fs/promises'
import { detachNetwork } from './network/network.ts'
import { type CgroupLayout, groupOf, processesOf, removeGroup, thaw } from './oci/cgroups.ts'
import { findInit, hasEnded } from './oci/init-process.ts'
import type { Runtime } from './oci/runtime.ts'
import type { Settings } from './options.ts'
import { type Places, placesOf } from './places.ts'
import { readRecord, releaseIndex } from './records.ts'
import { unmountBelow } from './rootfs/mounts.ts'

/** Ends every process of a machine, also one that is paused or that the runtime has lost sight of. */
export async function endProcesses(
  settings: Settings,
  runtime: Runtime,
  layout: CgroupLayout,
  id: string,
): Promise<void> {
  const group = groupOf(settings.instance, id)
  await endCommands(settings, placesOf(settings, id))
  await thaw(layout, group)
  const places = placesOf(settings, id)
  const init = await findInit(places)
  // The kernel ends the whole pid namespace with its first process.
  if (init) kill(init.pid)
  for (const pid of await processesOf(layout, group)) kill(pid)
  // The runtime itself would look again only after a tenth of a second.
  await hasEnded(places, 1000)
  await runtime.delete(id)
  await removeGroup(group)
}

/**
 * Commands that a service which was killed had started in these places and that still run, orphaned: left alone,
 * they would mount or start something after it was taken away.
 */
export async function endCommands(settings: Settings, places: Places): Promise<void> {
  const commands = new Set([settings.runtime, 'mount', 'mkfs.ext4', 'perl'])
  for (const pid of (await readdir('/proc')).filter(name => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    const [command = '', ...args] = line.split('\0')
    if (!commands.has(command)) continue
    const ours = args.some(arg => arg.startsWith(`${places.run}/`) || arg.startsWith(`${places.home}/`))
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

/** Takes away all of a machine that there is, in whatever state. Its folder goes last: while it is there, so is the machine. */
export async function removeMachine(
  settings: Settings,
  runtime: Runtime,
  layout: CgroupLayout,
  id: string,
): Promise<void> {
  const places = placesOf(settings, id)
  const record = await readRecord(settings, id)
  await endProcesses(settings, runtime, layout, id)
  if (record) await detachNetwork(settings, record.spec, record.index)
  await unmountBelow(places.run)
  await rm(places.run, { recursive: true, force: true })
  await rm(places.disk, { force: true })
  await releaseIndex(settings, id)
  await rm(places.home, { recursive: true, force: true })
}
