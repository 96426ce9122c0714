import { readFile } from 'node:fs/promises'
import { descendantsOf, type HostProcess } from './host-processes.ts'

/** The machine workers of a service, oldest first. */
export async function workersOf(service: number): Promise<HostProcess[]> {
  const found: HostProcess[] = []
  for (const process of await descendantsOf(service)) {
    const command = await readFile(`/proc/${process.pid}/cmdline`, 'utf8').catch(() => '')
    if (process.parent === service && command.split('\0').some(part => part.endsWith('/worker/main.ts')))
      found.push(process)
  }
  return found.sort((a, b) => Number(a.startTime) - Number(b.startTime))
}
