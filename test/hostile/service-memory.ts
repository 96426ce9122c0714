import { readFile, writeFile } from 'node:fs/promises'
import { descendantsOf } from '../support/host-processes.ts'

/** The processes that belong to the service: all but those of the database, whose memory is mostly shared. */
async function processesOf(service: number): Promise<number[]> {
  const children = await descendantsOf(service)
  return [service, ...children.filter(({ name }) => name !== 'postgres').map(({ pid }) => pid)]
}

/** Begins to count the peak anew, and returns the memory in use in bytes. */
export async function resetPeakMemory(service: number): Promise<number> {
  const pids = await processesOf(service)
  // The kernel then sets the peak to what is in use.
  await Promise.all(pids.map(pid => writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {})))
  return sum(pids, 'VmRSS')
}

/** The largest amount of memory that the processes have used, in bytes. */
export async function peakMemory(service: number): Promise<number> {
  return sum(await processesOf(service), 'VmHWM')
}

async function sum(pids: readonly number[], field: string): Promise<number> {
  let total = 0
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    total += 1024 * Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0)
  }
  return total
}
