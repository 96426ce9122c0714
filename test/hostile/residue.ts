import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { settle } from '@sandglass/machines/local'
import { Containers } from '../../packages/machines/src/engines/local/oci/containers.ts'
import { mountsBelow } from '../../packages/machines/src/engines/local/rootfs/mounts.ts'
import { preparedNames } from '../../packages/machines/src/engines/local/rootfs/prepared-roots.ts'
import type { MachineInstallation } from '../support/machine-installation.ts'

/** Lists the machines that have a row, a folder, a mount or a process on this host. */
export async function machinesOnHost(installation: MachineInstallation): Promise<Set<string>> {
  const settings = settle(installation.engineOptions)
  const { machinesDir, runDir, instance } = settings
  const mounted = (await mountsBelow(runDir))
    .map(path => path.slice(runDir.length + 1).split('/'))
    .filter(([kind]) => kind === 'm')
    .map(([, id = '']) => id)
  const folders = [
    ...(await readdir(machinesDir).catch(() => [])),
    ...(await readdir(join(runDir, 'm')).catch(() => [])),
  ]
  const containers = new Containers(settings)
  const machines = new Map(folders.map(id => [basename(containers.groupOf(id)), id]))
  const running = await containersWithProcesses(instance)
  // Read afterwards, because another one may have been prepared meanwhile.
  const prepared = await preparedNames(settings)
  const ofMachines = running.filter(name => !prepared.includes(name)).map(name => machines.get(name) ?? name)
  return new Set([...folders, ...mounted, ...ofMachines])
}

async function containersWithProcesses(instance: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const groups = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')))
  const pattern = new RegExp(`/sandglass-${instance}/(?:[^/\\n]+/)?([^/\\n]+)$`, 'm')
  return groups.map(group => pattern.exec(group)?.[1]).filter(name => name !== undefined)
}
