import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { patienceMs } from '@sandglass/machines/testing'
import type { Workload } from './workload.ts'

const run = promisify(execFile)

/** A stop lasts until every job got a response, or this long if no response is required meanwhile. */
const longestStopMs = 6000
const slowForMs = 5000
/** A slow process runs for a tenth of every 20 ms. */
const [standsMs, runsMs] = [18, 2]

export interface Victim {
  readonly pids: readonly number[]
  /** Threads of a process, which signals cannot address separately. */
  readonly areThreads: boolean
  /** Whether callers get responses even while it is stopped. */
  readonly answersMeanwhile: boolean
}

export interface Fault {
  readonly name: string
  /** Whether `npm test` injects the fault into every target; `npm run faults` includes all of them. */
  readonly isQuick: boolean
  readonly fitsThreads: boolean
  /** Whether the fault ends the process, which is then replaced. */
  readonly isDeadly: boolean
  /** Resolves when the fault is over. */
  inject(victim: Victim, workload: Workload): Promise<void>
}

/** The faults of a process. The suite is the product of this table and the table of targets. */
export const faults: readonly Fault[] = [
  { name: 'kill -9', isQuick: true, fitsThreads: false, isDeadly: true, inject: kill },
  { name: 'stopped', isQuick: false, fitsThreads: false, isDeadly: false, inject: stop },
  { name: 'slow', isQuick: false, fitsThreads: true, isDeadly: false, inject: slowDown },
]

async function kill({ pids }: Victim): Promise<void> {
  signal(pids, 'SIGKILL')
}

async function stop({ pids, answersMeanwhile }: Victim, workload: Workload): Promise<void> {
  signal(pids, 'SIGSTOP')
  try {
    if (answersMeanwhile) await workload.answeredAnew(patienceMs)
    else await workload.answeredAnew(longestStopMs).catch(() => {})
  } finally {
    signal(pids, 'SIGCONT')
  }
}

async function slowDown(victim: Victim): Promise<void> {
  if (victim.areThreads) return await starve(victim.pids)
  try {
    for (const end = Date.now() + slowForMs; Date.now() < end; await pause(runsMs)) {
      signal(victim.pids, 'SIGSTOP')
      await pause(standsMs)
      signal(victim.pids, 'SIGCONT')
    }
  } finally {
    signal(victim.pids, 'SIGCONT')
  }
}

/** Threads that run only when no other thread needs a core, while others keep every core busy. */
async function starve(threads: readonly number[]): Promise<void> {
  const policy = (name: string) =>
    Promise.all(threads.map(thread => run('chrt', [`--${name}`, '--pid', '0', String(thread)])))
  const hogs = Array.from({ length: availableParallelism() }, () =>
    spawn('sh', ['-c', 'while :; do :; done']),
  )
  try {
    await policy('idle')
    await pause(slowForMs)
  } finally {
    for (const hog of hogs) if (hog.kill('SIGKILL')) await once(hog, 'exit')
    await policy('other')
  }
}

/** Ignores processes that have exited meanwhile. */
function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
}
