import { statfs } from 'node:fs/promises'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/** Fewer run at once only at the end. One more than there are processors keeps these busy while a test waits for something. */
const minAtOnce = availableParallelism() + 1
const maxAtOnce = 2 * availableParallelism() + 1
/** Another one starts if this much of a processor had nothing to do. */
const idleShare = 0.5
/** How often that is looked at. What a new process needs shows by then. */
const lookMs = 2000
/** A file has a service with a database and machines, or a virtual machine. */
const memoryBytes = 3 * 2 ** 30
/** Disks of machines are allocated when they are promised, and a service refuses creates on a host that runs short. */
const diskBytes = 30 * 2 ** 30

/**
 * Does the work for all items in this order. Most tests wait for something most of the time, and some do not, so that more
 * of them run at once while processors are idle, and no more on a host that is busy with other programs or short of disk.
 */
export async function atIdle<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values()
  const running = new Set<Promise<void>>()
  const start = () => {
    const { value, done } = waiting.next()
    if (done) return false
    const job: Promise<void> = work(value).finally(() => running.delete(job))
    running.add(job)
    return true
  }
  let before = processorTime()
  for (;;) {
    while (running.size < minAtOnce && start());
    if (running.size === 0) return
    const waited = new AbortController()
    await Promise.race([...running, pause(lookMs, undefined, { signal: waited.signal }).catch(() => {})])
    waited.abort()
    const now = processorTime()
    if (now.atMs - before.atMs < lookMs) continue
    const idle = (now.idleMs - before.idleMs) / (now.atMs - before.atMs)
    before = now
    if (idle >= idleShare && running.size < maxAtOnce && (await hasRoom())) start()
  }
}

async function hasRoom(): Promise<boolean> {
  const { bavail, bsize } = await statfs(tmpdir())
  return process.availableMemory() > memoryBytes && bavail * bsize > diskBytes
}

/** How long the processors had nothing to do since the host started. */
function processorTime(): { readonly idleMs: number; readonly atMs: number } {
  const idleMs = cpus().reduce((sum, { times }) => sum + times.idle, 0)
  return { idleMs, atMs: performance.now() }
}
