import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { clusterName } from './cluster.ts'
import type { Reports } from './reports.ts'

/** How long a server may take for its shutdown, which writes everything to the disk. */
const shutdownMs = 60_000
/** How long processes may take to notice that their server is gone. */
const orphanMs = 5000

/**
 * Waits until no process of an earlier server runs in the folder, and kills those that stay. A server that outlived its
 * service is already shutting down, and processes that outlived their server notice it as soon as they wait for
 * something. PostgreSQL would refuse to start next to them. Only the service that holds the data directory may call
 * this.
 */
export async function endPredecessors(
  folder: string,
  reports: Reports,
  signal: AbortSignal,
  name = clusterName,
): Promise<void> {
  const cluster = join(folder, name)
  const lockFiles = [join(cluster, 'postmaster.pid'), join(folder, '.s.PGSQL.5432.lock')] as const
  const since = performance.now()
  let isReported = false
  for (;;) {
    const pids = await serversIn(cluster)
    signal.throwIfAborted()
    if (pids.length === 0) break
    if (!isReported) reports.info(`waiting for the previous database, process ${pids[0]}, to shut down`)
    isReported = true
    const [lead] = (await readFile(lockFiles[0], 'utf8').catch(() => '')).split('\n')
    const limitMs = pids.includes(Number(lead)) ? shutdownMs : orphanMs
    if (performance.now() - since >= limitMs) for (const pid of pids) kill(pid)
    await delay(50, undefined, { signal })
  }
  // The process ids in these files belong to nobody, or to another program by now. PostgreSQL would refuse to start
  // if that runs as the same user, and also if the host crashed before anything was written to them.
  for (const file of lockFiles) await rm(file, { force: true })
}

/** The processes of PostgreSQL whose working directory this is, which is so for all processes of a server. */
async function serversIn(cluster: string): Promise<number[]> {
  const place = await stat(cluster)
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(Number)
  const isInside = await Promise.all(
    pids.map(async pid => {
      // A bind mount shows the same folder under another path, so that paths cannot be compared.
      const there = await stat(`/proc/${pid}/cwd`).catch(() => undefined)
      if (there?.ino !== place.ino || there.dev !== place.dev) return false
      return (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim() === 'postgres'
    }),
  )
  return pids.filter((_, index) => isInside[index])
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
