import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'

const ticksPerSecond = 100

/** The share of one core that a process and its children use during this time, in percent. */
export async function cpuPercent(pid: number, ms: number): Promise<number> {
  const before = await ticks(pid)
  await setTimeout(ms)
  return (((await ticks(pid)) - before) / ticksPerSecond / (ms / 1000)) * 100
}

async function ticks(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const all = [pid, ...children.split(' ').filter(Boolean).map(Number)]
  const each = await Promise.all(all.map(ownTicks))
  return each.reduce((sum, one) => sum + one, 0)
}

async function ownTicks(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // Fields are counted after the name, which is in parentheses and may contain anything; user and system time are the
  // 14th and 15th.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return Number(user ?? 0) + Number(system ?? 0)
}
