import { readFile, statfs } from 'node:fs/promises'
import { availableParallelism, freemem, loadavg, totalmem } from 'node:os'
import type { NodeResources } from '@sandglass/protocol'

const MiB = 1024 * 1024

/** Measures what this host has, and what is left of it. `folder` is on the disk that counts. */
export async function hostResources(folder: string): Promise<NodeResources> {
  const cpus = availableParallelism()
  const [load = 0] = loadavg()
  const { bsize, blocks, bavail } = await statfs(folder)
  return {
    cpus: { total: cpus, free: Math.max(0, Math.round((cpus - load) * 100) / 100) },
    memoryMiB: { total: Math.floor(totalmem() / MiB), free: await availableMemoryMiB() },
    diskMiB: { total: Math.floor((blocks * bsize) / MiB), free: Math.floor((bavail * bsize) / MiB) },
  }
}

/** The kernel knows what it could free. Other systems only say what nobody uses. */
export async function availableMemoryMiB(meminfo = '/proc/meminfo'): Promise<number> {
  const text = await readFile(meminfo, 'utf8').catch(() => '')
  const [, kiB] = /^MemAvailable:\s*(\d+) kB$/m.exec(text) ?? []
  return kiB === undefined ? Math.floor(freemem() / MiB) : Math.floor(Number(kiB) / 1024)
}
