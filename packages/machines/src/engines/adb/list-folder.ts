import type { AdbLink } from '../../adb/adb-link.ts'
import { quote } from '../../adb/device-shell.ts'
import type { FolderPage, ListOptions } from '../../contract/files.ts'
import { askShell } from './ask-shell.ts'
import { fileError } from './file-errors.ts'
import { infoOfSync } from './file-info.ts'
import { withSync } from './sync-session.ts'

const pageSize = 1000
const directory = 4

/** A page of a folder by ADB's sync, which lists it whole and in no order. */
export async function listFolder(link: AdbLink, path: string, o: ListOptions): Promise<FolderPage> {
  o.signal?.throwIfAborted()
  const found = await withSync(link, path, async (sync, goesOn) => {
    const folder = await (sync.supportsStat ? sync.stat(path) : sync.lstat(`${path}/`))
    if (folder.type !== directory) throw fileError('Not a directory', path)
    const entries = []
    for await (const entry of sync.opendir(path)) {
      goesOn()
      entries.push(entry)
    }
    return entries
  })
  // A folder that may not be read is listed without even itself.
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

/** Where symlinks of a folder point, which sync does not tell. */
export async function targetsOf(link: AdbLink, folder: string, names: readonly string[]): Promise<string[]> {
  const targets: string[] = []
  for (let at = 0; at < names.length; at += 100) {
    const some = names.slice(at, at + 100).map(name => quote(`./${name}`))
    const script = `cd ${quote(folder)} && for l in ${some.join(' ')}; do readlink -n "$l"; printf '\\0'; done`
    targets.push(...(await askShell(link, script, folder)).toString().split('\0').slice(0, some.length))
  }
  return targets
}
