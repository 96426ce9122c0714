import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

const limits = [
  'fs/file-max',
  'fs/nr_open',
  'kernel/pid_max',
  'kernel/core_pattern',
  'kernel/hostname',
  'kernel/printk',
]

/** What systemd changes when it boots a host, and what other hosts on the same kernel, such as that of a test, share. */
export async function sharedState(): Promise<Record<string, string>> {
  const state: Record<string, string> = {}
  for (const name of await readdir('/dev')) {
    const path = join('/dev', name)
    const { mode, uid, gid, rdev } = await stat(path).catch(() => ({ mode: 0, uid: 0, gid: 0, rdev: 0 }))
    if (!name.startsWith('loop')) state[path] = `${mode.toString(8)} ${uid}:${gid} ${rdev}`
  }
  for (const name of limits) state[name] = await readFile(join('/proc/sys', name), 'utf8')
  return state
}
