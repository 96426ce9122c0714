import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { settle } from '@sandglass/machines/local'
import { mountsBelow } from '../../packages/machines/src/engines/local/rootfs/mounts.ts'
import type { MachineInstallation } from '../support/machine-installation.ts'

/** Lists the machines that have a row, a folder, a mount or a process on this host. */
export async function machinesOnHost(installation: MachineInstallation): Promise<Set<string>> {
  const { machinesDir, runDir, instance } = settle(installation.engineOptions)
  const mounted = (await mountsBelow(runDir))
    .map(path => path.slice(runDir.length + 1).split('/'))
    .filter(([kind]) => kind === 'm')
    .map(([, id = '']) => id)
  const folders = [
    ...(await readdir(machinesDir).catch(() => [])),
    ...(await readdir(join(runDir, 'm')).catch(() => [])),
  ]
  return new Set([...folders, ...mounted, ...(await machinesWithProcesses(instance))])
}

async function machinesWithProcesses(instance: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const groups = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')))
  const pattern = new RegExp(`/sandglass-${instance}/(?:[^/\\n]+/)?([^/\\n]+)$`, 'm')
  return groups.map(group => pattern.exec(group)?.[1]).filter(id => id !== undefined)
}
