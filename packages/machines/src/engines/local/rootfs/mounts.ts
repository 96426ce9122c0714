import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { runCommand } from '../host/run-command.ts'

/** Lists mount points of this host below a folder, the deepest and latest first. */
export async function mountsBelow(folder: string): Promise<string[]> {
  const table = await readFile('/proc/self/mountinfo', 'utf8')
  return table
    .split('\n')
    .map(line => line.split(' ')[4] ?? '')
    .map(path => path.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))))
    .filter(path => path === folder || path.startsWith(`${folder}/`))
    .reverse()
}

const maxAttempts = 10

/**
 * Unmounts lazily, so that processes which still use the mounts cannot block it. Retries, because umount also fails
 * when somebody else has unmounted something in the meantime.
 */
export async function unmountBelow(folder: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const mounts = await mountsBelow(folder)
    if (mounts.length === 0) return
    try {
      await runCommand('umount', ['-l', ...mounts])
    } catch (error) {
      if (attempt === maxAttempts) throw error
      await setTimeout(10 * attempt)
    }
  }
}
