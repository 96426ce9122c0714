import { readdir, readFile } from 'node:fs/promises'

/** A process of the host; the start time tells it from a later one with the same id. */
export interface HostProcess {
  readonly pid: number
  readonly parent: number
  readonly startTime: string
  /** The first 15 bytes of the name of its program. */
  readonly name: string
  readonly hasEnded: boolean
}

export async function hostProcesses(): Promise<HostProcess[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const found = await Promise.all(pids.map(pid => hostProcess(Number(pid))))
  return found.filter(process => process !== undefined)
}

export async function hostProcess(pid: number): Promise<HostProcess | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (!stat) return undefined
  // The name stands in brackets and may hold anything.
  const [open, close] = [stat.indexOf('('), stat.lastIndexOf(')')]
  const fields = stat.slice(close + 2).split(' ')
  return {
    pid,
    parent: Number(fields[1]),
    startTime: fields[19] ?? '',
    name: stat.slice(open + 1, close),
    hasEnded: fields[0] === 'Z' || fields[0] === 'X',
  }
}

/** What a process has started, and what that has started. */
export async function descendantsOf(pid: number): Promise<HostProcess[]> {
  const all = (await hostProcesses()).filter(({ hasEnded }) => !hasEnded)
  const found: HostProcess[] = []
  for (let parents = new Set([pid]); parents.size > 0; ) {
    const children = all.filter(({ parent }) => parents.has(parent))
    found.push(...children)
    parents = new Set(children.map(child => child.pid))
  }
  return found
}
