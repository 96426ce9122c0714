import { readdir, readFile } from 'node:fs/promises'

/** A process of the host. Its start time distinguishes it from a later process with the same id. */
export interface HostProcess {
  readonly pid: number
  readonly parent: number
  readonly startTime: string
  /** The first 15 bytes of its program's name. */
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
  // The name is in parentheses and may contain anything.
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

/** All descendants of a process. */
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

/** The process that serves requests: the front of a service that has a host process, or the service itself. */
export async function frontOf(service: number): Promise<number> {
  const [front = service] = await childrenThatRun(service, 'server/src/front.ts')
  return front
}

/** The processes that talk to machines, the one that started first first. */
export async function workersOf(service: number): Promise<number[]> {
  return await childrenThatRun(service, 'workers/src/worker/main.ts')
}

/**
 * Leaves out a process that is still being confined and does not run the program yet. The oldest come first; their ids do not
 * tell, since a folder is read in the order of its names, in which 100000 comes before 99999.
 */
async function childrenThatRun(service: number, program: string): Promise<number[]> {
  const found: number[] = []
  const byStart = (await descendantsOf(service)).sort(
    (a, b) => Number(a.startTime) - Number(b.startTime) || a.pid - b.pid,
  )
  for (const { pid, parent } of byStart) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    const [executable = '', ...args] = command.split('\0')
    const runs = executable.endsWith('/node') && args.some(part => part.endsWith(`/packages/${program}`))
    if (parent === service && runs) found.push(pid)
  }
  return found
}
