import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@sandglass/machines/testing'

/**
 * Stops every process of the PostgreSQL in this folder, as on a host that hangs. The returned function resumes them
 * and must be called however the test ends.
 */
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
  // Stop the postmaster first, so that no further process is started. It may start one until it really stands still.
  stop(postmaster)
  await waitFor(async () => (await readFile(`/proc/${postmaster}/stat`, 'utf8')).includes(') T '))
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
  for (const pid of children.trim().split(' ')) stop(Number(pid))
  return resume
}

/** A database process may have exited since, such as one whose connection was closed. */
function resumeOne(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
