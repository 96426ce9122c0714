import { chmod, chown, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../engines/local/host/run-command.ts'
import { hostAptSources } from '../images/apt-sources.ts'

/** Where Debian keeps its archive keys: the first on older releases, the second on newer ones. */
const keyFolders = ['/etc/apt/trusted.gpg.d', '/usr/share/keyrings']

/** The folders of a mirror. */
export interface AptFolder {
  readonly root: string
  /** Packages that apt has verified. */
  readonly archives: string
  /** Where apt downloads to; owned by the user that apt runs as. */
  readonly incoming: string
}

/** Creates the folders that apt needs, with the Debian sources and keys of the host. */
export async function createAptFolder(root: string): Promise<AptFolder> {
  const [archives, incoming, keys, lists] = ['archives', 'incoming', 'keys', 'lists'].map(name =>
    join(root, name),
  )
  if (!archives || !incoming || !keys || !lists) throw new Error('a folder has no name')
  const partial = [join(lists, 'partial'), join(incoming, 'partial')]
  for (const path of [archives, keys, ...partial]) await mkdir(path, { recursive: true })
  for (const path of [root, archives, incoming, keys, lists, ...partial]) await chmod(path, 0o755)
  if (process.getuid?.() === 0) {
    const user = Number(await runCommand('id', ['-u', '_apt']))
    for (const path of [incoming, lists, ...partial]) await chown(path, user, 0)
  }
  const { lines } = await hostAptSources()
  await writeFile(join(root, 'sources.list'), `${lines.join('\n')}\n`, { mode: 0o644 })
  for (const folder of keyFolders)
    for (const name of await readdir(folder).catch(() => []))
      if (/^debian-.*\.(gpg|asc)$/.test(name)) {
        await copyFile(join(folder, name), join(keys, name))
        await chmod(join(keys, name), 0o644)
      }
  return { root, archives, incoming }
}
