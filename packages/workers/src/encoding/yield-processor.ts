import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/**
 * The niceness relative to the rest of the process. A thread with it gets two thirds of the CPU time of a normal
 * thread.
 */
const niceness = 2
const maxNice = 19

/**
 * Lowers the priority of the calling thread. Encoders may then use every idle core, while the thread that answers
 * requests goes first. Only Linux has a priority per thread, so nothing is changed elsewhere.
 */
export function yieldProcessor(): void {
  if (process.platform !== 'linux') return
  // /proc/thread-self is a link to PID/task/TID.
  const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  setPriority(thread, Math.min(maxNice, getPriority(process.pid) + niceness))
}
