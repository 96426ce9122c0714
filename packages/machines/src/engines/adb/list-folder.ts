import type { AdbLink } from '../../adb/adb-link.ts'
import { quote } from '../../adb/device-shell.ts'
import { MachineError } from '../../contract/errors.ts'
import type { FolderPage, ListOptions } from '../../contract/files.ts'
import { fileError } from '../posix/file-errors.ts'
import { infoOfSync } from './file-info.ts'
import { runScript } from './run-script.ts'
import { withSync } from './sync-session.ts'

const pageSize = 1000
/** How many entries a folder may have to be listed. */
const defaultMaxEntries = 100_000
const directory = 4

/** Returns one page of a folder. ADB's sync always lists the whole folder, unsorted. */
export async function listFolder(
  link: AdbLink,
  path: string,
  o: ListOptions,
  maxEntries = defaultMaxEntries,
): Promise<FolderPage> {
  o.signal?.throwIfAborted()
  const found = await withSync(link, path, async (sync, onProgress) => {
    const folder = await (sync.supportsStat ? sync.stat(path) : sync.lstat(`${path}/`))
    if (folder.type !== directory) throw fileError('Not a directory', path)
    const entries = []
    for await (const entry of sync.opendir(path)) {
      onProgress()
      if (entries.length === maxEntries)
        throw new MachineError('MACHINE_FAILED', `The folder ${path} has more than ${maxEntries} entries.`)
      entries.push(entry)
    }
    return entries
  })
  // A folder without read permission is listed as empty, without even an entry for itself.
  if (!found.some(({ name }) => name === '.')) throw fileError('Permission denied', path)
  const all = found
    .filter(({ name }) => name !== '.' && name !== '..' && (o.after === undefined || name > o.after))
    .map(entry => infoOfSync(entry.name, entry))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const page = all.slice(0, Math.min(o.limit ?? pageSize, pageSize))
  const links = page.filter(({ kind }) => kind === 'symlink').map(({ name }) => name)
  const targets = await targetsOf(link, path, links)
  const targetOf = new Map(links.map((name, index) => [name, targets[index] ?? '']))
  return {
    entries: page.map(info =>
      info.kind === 'symlink' ? { ...info, target: targetOf.get(info.name) ?? '' } : info,
    ),
    ...(all.length > page.length && { next: page.at(-1)?.name ?? '' }),
  }
}

/** Reads the targets of symlinks in a folder, which sync does not report. */
export async function targetsOf(link: AdbLink, folder: string, names: readonly string[]): Promise<string[]> {
  const targets: string[] = []
  for (let at = 0; at < names.length; at += 100) {
    const some = names.slice(at, at + 100).map(name => quote(`./${name}`))
    const script = `cd ${quote(folder)} && for l in ${some.join(' ')}; do readlink -n "$l"; printf '\\0'; done`
    targets.push(...(await runScript(link, script, folder)).toString().split('\0').slice(0, some.length))
  }
  return targets
}
