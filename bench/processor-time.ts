import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { descendantsOf } from '../test/support/host-processes.ts'

/** The kernel's clock ticks, which are the same on every Linux that Node runs on. */
const tickMs = 10

/** The processor time of a service: its host, its front and its workers. Machines are not among its descendants. */
export async function processorMs(service: number): Promise<number> {
  const pids = [service, ...(await descendantsOf(service)).map(({ pid }) => pid)]
  const ticks = await Promise.all(pids.map(ticksOf))
  return ticks.reduce((sum, each) => sum + each, 0) * tickMs
}

/** The share of one core that a service uses during this time, in percent. */
export async function cpuPercent(service: number, ms: number): Promise<number> {
  const before = await processorMs(service)
  await setTimeout(ms)
  return (((await processorMs(service)) - before) / ms) * 100
}

async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // Fields are counted after the name, which is in parentheses and may contain anything; user and system time are the
  // 14th and 15th.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return Number(user ?? 0) + Number(system ?? 0)
}
