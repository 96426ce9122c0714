import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'

/** Stops every process of the PostgreSQL in this folder, as a host that hangs does; gives what lets them go on. */
export async function stopDatabase(folder: string): Promise<() => void> {
  const [first = ''] = (await readFile(join(folder, 'cluster', 'postmaster.pid'), 'utf8')).split('\n')
  const postmaster = Number(first)
  const stopped: number[] = []
  const stop = (pid: number) => {
    process.kill(pid, 'SIGSTOP')
    stopped.push(pid)
  }
  let isResumed = false
  const resume = () => {
    if (isResumed) return
    isResumed = true
    for (const pid of stopped) resumeOne(pid)
  }
  // Nothing could be cleaned up with a database that never answers.
  cleanup.defer(resume)
  // The postmaster first, so that no further process is started.
  stop(postmaster)
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
  for (const pid of children.trim().split(' ')) stop(Number(pid))
  return resume
}

/** A process of the database may have ended since, as those do whose connection was closed. */
function resumeOne(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
