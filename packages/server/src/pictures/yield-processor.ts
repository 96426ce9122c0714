import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** A third of the processor that a thread of normal priority gets beside it. */
const niceness = 5

/**
 * Lowers the priority of the calling thread, so that encoders may take every core that nobody else needs and the thread
 * that answers requests still goes first. Linux keeps a priority for each thread; elsewhere nothing is changed.
 */
export function yieldProcessor(): void {
  if (process.platform !== 'linux') return
  // /proc/thread-self leads to PID/task/TID.
  setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), niceness)
}
