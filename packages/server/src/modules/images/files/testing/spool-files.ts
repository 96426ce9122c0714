import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/** What this process has in the spool of the service with this data directory. Its files have no names, so only the process knows them. */
export async function openSpoolFiles(data: string): Promise<string[]> {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map(fd => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  )
  return links.filter(path => path.startsWith(join(data, 'spool')))
}
