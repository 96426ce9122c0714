import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { MachinePaths } from '../machine-paths.ts'

/**
 * Process 1 of a machine, as seen from the host. The start time distinguishes it from a later process with the same
 * id.
 */
export interface InitProcess {
  readonly pid: number
  readonly startTime: string
}

/** The start time in kernel ticks since boot. Undefined if the process does not exist or is a zombie. */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name is in brackets and may contain anything. Field 22 is the 20th after it, and state Z is a zombie.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields?.[0] === 'Z' ? undefined : fields?.[19]
}

/** Reads the process id that the runtime wrote, and stores the start time next to it. */
export async function noteInit(paths: MachinePaths): Promise<InitProcess | undefined> {
  const pid = Number(await readFile(paths.pidFile, 'utf8'))
  const startTime = await startTimeOf(pid)
  if (!startTime) return undefined
  await writeFile(`${paths.pidFile}.json`, JSON.stringify({ pid, startTime }))
  return { pid, startTime }
}

/** Returns process 1 of a machine, or undefined if it does not run. */
export async function findInit(paths: MachinePaths): Promise<InitProcess | undefined> {
  try {
    const noted = JSON.parse(await readFile(`${paths.pidFile}.json`, 'utf8')) as InitProcess
    return (await startTimeOf(noted.pid)) === noted.startTime ? noted : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns whether process 1 has ended or ends within the given time. It polls because a process closes its sockets,
 * and receives SIGKILL, some milliseconds before it has ended, and Node cannot wait for a process that it did not
 * start.
 */
export async function hasEnded(paths: MachinePaths, withinMs: number): Promise<boolean> {
  for (const deadline = performance.now() + withinMs; ; await setTimeout(2)) {
    if (!(await findInit(paths))) return true
    if (performance.now() >= deadline) return false
  }
}
