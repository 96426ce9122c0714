import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { maxTerminals } from '../oci/kernel-limits.ts'
import type { Settings } from '../options.ts'

/** The highest values that the kernel accepts. systemd sets the last two on its hosts, too. */
const highest = { terminals: 1n << 20n, processes: 1n << 22n, files: (1n << 63n) - 1n }

/** What the kernel keeps for the host's own terminals. */
const reservedTerminals = 1024n

/** What all machines of the engine may need together, by the name in /proc/sys. */
export function neededOf({ maxMachines }: Pick<Settings, 'maxMachines'>): ReadonlyMap<string, bigint> {
  const terminals = BigInt(maxMachines) * BigInt(maxTerminals) + reservedTerminals * 2n
  return new Map([
    ['kernel/pty/max', terminals < highest.terminals ? terminals : highest.terminals],
    // Every machine has its own limit for processes, and its open files are charged to its memory.
    ['kernel/pid_max', highest.processes],
    ['fs/file-max', highest.files],
  ])
}

/**
 * Raises the kernel's limits for the whole host, so that machines which reach their own limits leave something for the
 * others. No value is lowered. A host that does not allow it keeps its values.
 */
export async function raiseKernelCapacity(
  settings: Pick<Settings, 'maxMachines'>,
  folder = '/proc/sys',
): Promise<void> {
  for (const [name, needed] of neededOf(settings)) {
    const path = join(folder, name)
    try {
      if (BigInt((await readFile(path, 'utf8')).trim()) < needed) await writeFile(path, String(needed))
    } catch {
      // In a container, /proc/sys may be read-only.
    }
  }
}
