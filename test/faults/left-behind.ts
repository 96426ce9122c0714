import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { groupParentOf } from '../../packages/machines/src/engines/local/oci/cgroups.ts'
import { Containers } from '../../packages/machines/src/engines/local/oci/containers.ts'
import { startTimeOf } from '../../packages/machines/src/engines/local/oci/init-process.ts'
import { mountsBelow } from '../../packages/machines/src/engines/local/rootfs/mounts.ts'
import { descendantsOf, type HostProcess, hostProcesses } from '../support/host-processes.ts'
import type { World } from './world.ts'

/**
 * Lists everything that belongs to no sandbox and no running process. A moment after a fault there must be nothing.
 */
export async function leftBehind(world: World, startedBefore: readonly HostProcess[]): Promise<string[]> {
  const machines = await machineRows(world)
  const isKnown = (name: string) => machines.has(name)
  const { machinesDir, runDir } = world.engine
  const folders = await readdir(machinesDir).catch(() => [])
  const mounted = (await mountsBelow(runDir)).map(path => path.slice(runDir.length + 1).split('/'))
  return [
    ...[...machines]
      .filter(([, state]) => state !== 'claimed')
      .map(([id, state]) => `the row ${id}, ${state}`),
    ...folders.filter(name => !isKnown(name)).map(name => `the folder of ${name}`),
    ...(await strayCgroups(world, machines.keys())).map(name => `the cgroup ${name}`),
    ...mounted.filter(([kind, name = '']) => kind === 'm' && !isKnown(name)).map(parts => parts.join('/')),
    ...(await spareRoots(world)),
    ...(await orphans(world, startedBefore)),
  ]
}

async function machineRows(world: World): Promise<Map<string, string>> {
  const rows = await world.withDatabase(({ db }) =>
    db.selectFrom('machines').select(['id', 'state']).execute(),
  )
  return new Map(rows.map(({ id, state }) => [id, state]))
}

/** Those of no machine, and of no container that waits for one. */
async function strayCgroups(world: World, machineIds: Iterable<string>): Promise<string[]> {
  const containers = new Containers(world.engine)
  const known = new Set([...machineIds].map(id => basename(containers.groupOf(id))))
  const prepared: string[] = await readdir(world.engine.preparedDir).catch(() => [])
  return (await cgroups(world)).filter(name => !known.has(name) && !prepared.includes(name))
}

async function cgroups(world: World): Promise<string[]> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map(line => line.split(' '))
  const found = new Set<string>()
  for (const [, root = '', type] of mounts) {
    if (type !== 'cgroup' && type !== 'cgroup2') continue
    const folder = join(root, groupParentOf(world.engine.instance))
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => []))
      if (entry.isDirectory()) found.add(entry.name)
  }
  return [...found]
}

/** Prepared roots are named after the process that made them, which must be the current service. */
async function spareRoots(world: World): Promise<string[]> {
  const names = await readdir(world.engine.preparedDir).catch(() => [])
  const { pid } = world.installation.service
  return names.filter(name => !name.startsWith(`${pid}-`)).map(name => `the prepared root ${name}`)
}

/** Processes that the service had started before the fault and that still run although nothing owns them. */
async function orphans(world: World, startedBefore: readonly HostProcess[]): Promise<string[]> {
  const owned = new Set((await descendantsOf(world.installation.service.pid)).map(({ pid }) => pid))
  const alive = new Map((await hostProcesses()).filter(each => !each.hasEnded).map(each => [each.pid, each]))
  const found: string[] = []
  for (const { pid, startTime, name } of startedBefore) {
    if (owned.has(pid) || alive.get(pid)?.startTime !== startTime) continue
    const group = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')
    // Machines survive the service and are checked by their cgroups.
    const isInMachine = group.includes(`/sandglass-${world.engine.instance}/`)
    if (!isInMachine && (await startTimeOf(pid)) === startTime) found.push(`process ${pid}, ${name}`)
  }
  return found
}
