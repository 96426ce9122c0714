import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** Below the rest of the process: two thirds of the processor that another thread gets beside it. */
const niceness = 2
const maxNice = 19

/**
 * Lowers the priority of the calling thread, so that encoders may take every core that nobody else needs and the thread
 * that answers requests still goes first. Linux keeps a priority for each thread; elsewhere nothing is changed.
 */
export function yieldProcessor(): void {
  if (process.platform !== 'linux') return
  // /proc/thread-self leads to PID/task/TID.
  const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  setPriority(thread, Math.min(maxNice, getPriority(process.pid) + niceness))
}
