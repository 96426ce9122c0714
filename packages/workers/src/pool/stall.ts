import { readFile } from 'node:fs/promises'
import type { WorkerLink } from './worker-link.ts'

const pingEveryMs = 500
/** The processor time after which a worker that has not answered is stuck. A busy host does not shorten it. */
const maxBusyMs = 1000
/** A worker that neither answers nor runs for this long is given up. */
const maxSilentMs = 15_000
/** How long a worker may take to start, on a host that is very busy. */
const maxStartMs = 120_000
/** The kernel's clock ticks, which are the same on every Linux that Node runs on. */
const tickMs = 10

/**
 * Ends a worker that is stuck: one that has used a second of processor time without answering, or that is stopped.
 * Returns a function that ends the watch.
 */
export function watchForStall(worker: WorkerLink): () => void {
  let hasAnswered = false
  let asked: { readonly atMs: number; readonly busyMs: number } | undefined
  const timer = setInterval(() => void look(), pingEveryMs).unref()
  const look = async () => {
    const now = await stateOf(worker.worker.pid)
    if (!asked) {
      asked = { atMs: performance.now(), busyMs: now?.busyMs ?? 0 }
      const done = () => {
        hasAnswered = true
        asked = undefined
      }
      worker.caller.call('worker.ping', {}).then(done, done)
      return
    }
    const silentMs = performance.now() - asked.atMs
    // A start alone may take a second of processor time.
    const isStuck =
      hasAnswered &&
      silentMs > maxBusyMs &&
      now !== undefined &&
      (now.isStopped || now.busyMs - asked.busyMs > maxBusyMs)
    if (isStuck || silentMs > (hasAnswered ? maxSilentMs : maxStartMs)) worker.kill()
  }
  return () => clearInterval(timer)
}

/** What the kernel says about the first thread of a process. Undefined if it does not exist. */
async function stateOf(
  pid: number,
): Promise<{ readonly busyMs: number; readonly isStopped: boolean } | undefined> {
  const stat = await readFile(`/proc/${pid}/task/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name is in brackets and may contain anything. Fields 14 and 15 are the times in user and kernel mode.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (!fields) return undefined
  const [state, user, kernel] = [fields[0], Number(fields[11]), Number(fields[12])]
  return { busyMs: (user + kernel) * tickMs, isStopped: state === 'T' || state === 't' }
}
