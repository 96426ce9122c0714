import { readFile } from 'node:fs/promises'
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

/** Unmounts lazily, so that processes which still use the mounts cannot block it. */
export async function unmountBelow(folder: string): Promise<void> {
  for (let mounts = await mountsBelow(folder); mounts.length > 0; mounts = await mountsBelow(folder)) {
    await runCommand('umount', ['-l', ...mounts])
  }
}
