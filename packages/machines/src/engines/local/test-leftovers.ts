import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '../../testing/wait-for.ts'
import { disksOfMachines, disksOfPrepared } from './machine-paths.ts'
import { netnsExists, runIn } from './network/namespaces.ts'
import { routerName, routerPlace } from './network/router.ts'
import { uidRangeOf } from './oci/uid-ranges.ts'
import type { Settings } from './options.ts'
import { mountsBelow } from './rootfs/mounts.ts'
import { preparedNames } from './rootfs/prepared-roots.ts'

async function groups(settings: Settings): Promise<string[]> {
  const found: string[] = []
  const roots = (await readFile('/proc/self/mounts', 'utf8'))
    .split('\n')
    .map(line => line.split(' '))
    .filter(([, , type]) => type === 'cgroup' || type === 'cgroup2')
  for (const [, root = ''] of roots) {
    const folder = join(root, `sandglass-${settings.instance}`)
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (entry.isDirectory()) found.push(join(folder, entry.name))
    }
  }
  return found
}

async function processes(settings: Settings): Promise<string[]> {
  const first = uidRangeOf(settings, 0).base
  const last = uidRangeOf(settings, 1023).base + 65535
  const found: string[] = []
  for (const pid of (await readdir('/proc')).filter(name => /^\d+$/.test(name))) {
    const uid = await stat(`/proc/${pid}`).then(
      ({ uid }) => uid,
      () => 0,
    )
    if (uid < first || uid > last) continue
    const group = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')
    // Engines of other tests, and machines in the cluster of one, may use the same range.
    const [, owner = settings.instance, name = ''] = /\/sandglass-([\w-]+)\/([^/\n]+)/.exec(group) ?? []
    if (owner === settings.instance && !(await hasEnded(pid))) found.push(`${pid} of ${uid} in ${name}`)
  }
  return found
}

/**
 * Whether a process is ending. One of another engine's machine is in no group from then on, and a zombie waits for the
 * host's first process to reap it, which is not the engine's responsibility. Ask after its group was read.
 */
async function hasEnded(pid: string): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const [state = 'X', , , , , , flags = '0'] = status.slice(status.lastIndexOf(')') + 2).split(' ')
  const isExiting = (Number(flags) & 4) !== 0
  return status === '' || state === 'Z' || state === 'X' || isExiting
}

async function links(settings: Settings): Promise<string[]> {
  if (!netnsExists(routerName(settings))) return []
  const [shown, rules] = await Promise.all([
    runIn(routerPlace(settings), 'ip', ['-brief', 'link']),
    runIn(routerPlace(settings), 'nft', ['list', 'ruleset']),
  ])
  const found = [...`${shown}\n${rules}`.matchAll(/"?\bs(\d+)[@"]|chain m\d+|set n\d+_\d+/g)]
  const stock = await holders(settings)
  return found.filter(([, index = '']) => !isInStock(stock.get(index) ?? '')).map(([match]) => match)
}

/** Lists network namespaces of machines, which have the name of the router and a number. */
async function namespaces(settings: Settings): Promise<string[]> {
  return (await readdir('/run/netns').catch(() => [])).filter(name =>
    name.startsWith(`${routerName(settings)}-`),
  )
}

/** Lists claimed indexes, without those of prepared roots. */
async function indexes(settings: Settings): Promise<string[]> {
  return [...(await holders(settings))]
    .filter(([, holder]) => !isInStock(holder))
    .map(([name, holder]) => `index ${name} of ${holder}`)
}

/** The machines and prepared roots by their indexes. */
async function holders(settings: Settings): Promise<Map<string, string>> {
  const folder = join(settings.dataDir, 'indexes')
  const found = new Map<string, string>()
  for (const name of await readdir(folder).catch(() => [])) {
    found.set(name, await readFile(join(folder, name), 'utf8').catch(() => ''))
  }
  return found
}

/** A prepared root belongs to a process, which must be alive: this one. */
const isInStock = (name: string) => name.startsWith(`${process.pid}-`)

/**
 * Lists the loop devices of disks. The kernel frees one when the last mount namespace has left it, and a program that is
 * being confined, for whatever other test, has copies of all mounts for a moment.
 */
async function loops(settings: Settings): Promise<string[]> {
  let found: string[] = []
  await waitFor(async () => {
    found = (await runIn('host', 'losetup', ['--list', '--noheadings', '--output', 'BACK-FILE']))
      .split('\n')
      .filter(line => line.includes(settings.dataDir))
      .filter(line => !line.includes(disksOfPrepared(settings)) && !line.includes(settings.volumeFile))
    return found.length === 0
  }).catch(() => {})
  return found
}

/** Lists everything on the host that belongs to machines of this engine. Empty once all are destroyed. */
export async function leftovers(settings: Settings): Promise<string[]> {
  const stock = join(settings.runDir, 'prepared')
  const containers = [
    ...(await readdir(join(settings.runDir, 'runtime')).catch(() => [])),
    ...(await groups(settings)),
    ...(await processes(settings)),
  ]
  // Read afterwards, because another root may have been prepared meanwhile. Containers wait in prepared roots.
  const prepared = await preparedNames(settings)
  const waiting = prepared.filter(isInStock)
  return [
    ...containers.filter(found => !waiting.some(name => found.endsWith(name))),
    ...(await mountsBelow(settings.runDir)).filter(path => !path.startsWith(`${stock}/`)),
    ...(await readdir(join(settings.runDir, 'm')).catch(() => [])),
    ...(await readdir(settings.machinesDir).catch(() => [])),
    ...(await readdir(disksOfMachines(settings)).catch(() => [])),
    ...(await indexes(settings)),
    ...(await links(settings)),
    ...(await namespaces(settings)),
    ...(await loops(settings)),
    ...prepared.filter(name => !isInStock(name)),
  ]
}
