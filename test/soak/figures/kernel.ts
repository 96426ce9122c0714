import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { runIn } from '../../../packages/machines/src/engines/local/network/namespaces.ts'
import { routerPlace } from '../../../packages/machines/src/engines/local/network/router.ts'
import {
  cgroupLayout,
  groupOf,
  groupParentOf,
  processesOf,
} from '../../../packages/machines/src/engines/local/oci/cgroups.ts'
import { mountsBelow } from '../../../packages/machines/src/engines/local/rootfs/mounts.ts'
import type { SoakedService } from '../soaked-service.ts'

/** What the kernel holds for the machines: cgroups, namespaces, mounts, loop devices, and links of the router. */
export async function kernelFigures({ settings }: SoakedService): Promise<[string, number][]> {
  const { instance, runDir, dataDir } = settings
  const groups = await groupNames(groupParentOf(instance))
  const layout = cgroupLayout()
  const pids = (await Promise.all(groups.map(id => processesOf(layout, groupOf(instance, id))))).flat()
  const mounts = await mountsBelow(runDir)
  return [
    ['kernel: cgroups of machines', groups.length],
    ['kernel: network namespaces of machines', await namespaces(pids, 'net')],
    ['kernel: user namespaces of machines', await namespaces(pids, 'user')],
    ['kernel: mounts', mounts.length],
    ['kernel: loop devices', await loopDevices(dataDir)],
    ['kernel: links of the router', await links(settings)],
  ]
}

/** The groups below a group, of every controller. */
export async function groupNames(parent: string): Promise<string[]> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map(line => line.split(' '))
  const names = new Set<string>()
  for (const [, root = '', type] of mounts) {
    if (type !== 'cgroup' && type !== 'cgroup2') continue
    for (const entry of await readdir(join(root, parent), { withFileTypes: true }).catch(() => []))
      if (entry.isDirectory()) names.add(entry.name)
  }
  return [...names]
}

async function namespaces(pids: readonly number[], kind: string): Promise<number> {
  const links = await Promise.all(pids.map(pid => readlink(`/proc/${pid}/ns/${kind}`).catch(() => '')))
  return new Set(links.filter(Boolean)).size
}

async function loopDevices(folder: string): Promise<number> {
  const devices = (await readdir('/sys/block')).filter(name => name.startsWith('loop'))
  const files = await Promise.all(
    devices.map(name => readFile(`/sys/block/${name}/loop/backing_file`, 'utf8').catch(() => '')),
  )
  return files.filter(file => file.startsWith(folder)).length
}

async function links(settings: SoakedService['settings']): Promise<number> {
  const shown = await runIn(routerPlace(settings), 'ip', ['-brief', 'link']).catch(() => '')
  return String(shown).split('\n').filter(Boolean).length
}
