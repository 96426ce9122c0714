import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { runCommand } from '../../local/host/run-command.ts'
import { groupFolders } from './cgroup-trees.ts'

/** What is needed to recognize what belongs to a cluster. A test cluster has it. */
export interface ClusterMarks {
  readonly name: string
  readonly folder: string
  readonly client: { readonly pid: number }
  readonly members: readonly { readonly pid: number }[]
}

/**
 * Takes note of the namespaces of a running cluster, and returns a function that lists everything on the host that
 * belongs to the cluster. The list is empty once the cluster is disposed of. A namespace that ends leaves its number to
 * the next one that anybody makes, so processes that began after the note are others.
 */
export async function clusterLeftovers(cluster: ClusterMarks): Promise<() => Promise<string[]>> {
  const pids = [cluster.client.pid, ...cluster.members.map(({ pid }) => pid)]
  const own = await namespacesOf('self')
  const theirs = (await Promise.all(pids.map(pid => namespacesOf(String(pid))))).flat()
  const known = new Set(theirs.filter(id => !own.includes(id)))
  const untilTick = startTickIn(await runCommand('cat', ['/proc/self/stat']))
  return async () => [
    ...(await processes(cluster, known, untilTick)),
    ...(await lines('mount', readFile('/proc/self/mounts', 'utf8'), cluster)),
    ...(await lines('loop device', runCommand('losetup', ['--list', '--output', 'NAME,BACK-FILE']), cluster)),
    ...(await groupFolders(cluster.name)),
    ...(existsSync(cluster.folder) ? [cluster.folder] : []),
  ]
}

async function namespacesOf(pid: string): Promise<string[]> {
  const kinds = ['net', 'mnt', 'pid', 'cgroup', 'uts', 'ipc']
  const found = kinds.map(async kind => [`${kind} ${(await stat(`/proc/${pid}/ns/${kind}`)).ino}`])
  return (await Promise.all(found.map(one => one.catch(() => [])))).flat()
}

/** When a process began, as the kernel counts it. It is no number if there is no such process. */
const startTickIn = (status: string) =>
  Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[19] ?? 'never')

async function processes(
  cluster: ClusterMarks,
  known: ReadonlySet<string>,
  untilTick: number,
): Promise<string[]> {
  const found: string[] = []
  for (const pid of (await readdir('/proc')).filter(name => /^\d+$/.test(name))) {
    const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')
    const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const uses = (await namespacesOf(pid)).filter(id => known.has(id))
    if (groups.includes(`/${cluster.name}/`)) found.push(`process ${pid} in the cluster's cgroups`)
    if (uses.length > 0 && startTickIn(status) <= untilTick)
      found.push(`process ${pid} in the namespaces ${uses.join(', ')}`)
  }
  return found
}

async function lines(kind: string, text: Promise<string>, cluster: ClusterMarks): Promise<string[]> {
  return (await text)
    .split('\n')
    .filter(line => line.includes(cluster.folder))
    .map(line => `${kind} ${line}`)
}
