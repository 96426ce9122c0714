import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { Places } from '../places.ts'

/** A machine's process 1 as the host sees it. The start time tells it from a later process of the same id. */
export interface InitProcess {
  readonly pid: number
  readonly startTime: string
}

/** In the kernel's ticks since the host came up; nothing when there is no such process, or only its exit status. */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name stands in brackets and may hold anything; field 22 is the 20th after it, state Z is a dead one.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields?.[0] === 'Z' ? undefined : fields?.[19]
}

/** Reads the id that the runtime wrote, and notes the start time beside it. */
export async function noteInit(places: Places): Promise<InitProcess | undefined> {
  const pid = Number(await readFile(places.pidFile, 'utf8'))
  const startTime = await startTimeOf(pid)
  if (!startTime) return undefined
  await writeFile(`${places.pidFile}.json`, JSON.stringify({ pid, startTime }))
  return { pid, startTime }
}

/** The process 1 of a machine that runs, or nothing. */
export async function findInit(places: Places): Promise<InitProcess | undefined> {
  try {
    const noted = JSON.parse(await readFile(`${places.pidFile}.json`, 'utf8')) as InitProcess
    return (await startTimeOf(noted.pid)) === noted.startTime ? noted : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether process 1 has ended, or does so in the time given. A process closes its sockets, and takes a kill, some
 * milliseconds before it has ended, and Node can await no process that it did not start.
 */
export async function hasEnded(places: Places, withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; ; await setTimeout(2)) {
    if (!(await findInit(places))) return true
    if (Date.now() >= deadline) return false
  }
}
