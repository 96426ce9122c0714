import { readFileSync } from 'node:fs'

/** The kernel counts in these on every architecture that we support. */
const ticksPerSecond = 100

/**
 * How many seconds of processor time this process has taken so far, with the processes that it has waited for. What
 * machines and processes take that outlive their parents is not in it.
 */
export function processorSeconds(): number {
  // The name of the program may contain spaces, and is in parentheses.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticksPerSecond
}
