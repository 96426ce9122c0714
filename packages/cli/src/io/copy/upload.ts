import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, posix, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { CliError } from '../../failures.ts'
import { printable } from '../printable.ts'
import { argument, type Copier, isContentOnly, isFolder, operand, runScript } from './copier.ts'
import { listFolder } from './list-folder.ts'
import { packFolder, rootName } from './pack-folder.ts'
import { counted } from './progress.ts'

/** Copies a file or folder of this computer into a sandbox. */
export async function upload(copier: Copier, from: string, to: string): Promise<void> {
  const path = resolve(copier.context.cwd, from)
  const source = await stat(path).catch(() => undefined)
  if (!source) throw new CliError(`There is no file or folder ${printable(from)}.`)
  if (!source.isFile() && !source.isDirectory())
    throw new CliError(
      `${printable(from)} is neither a file nor a folder.`,
      'Pipe it: … | sandglass cp - ID:path',
    )
  const target = isContentOnly(from) ? to : await targetOf(copier, to, basename(path))
  if (source.isDirectory()) return await uploadFolder(copier, path, target)
  copier.progress.begin(printable(basename(path)), source.size)
  const content = counted(createReadStream(path), copier.progress)
  await writeFile(copier, target, content, { mode: source.mode & 0o777, size: source.size })
  const seconds = source.mtimeMs / 1000
  await copier.box.run(['touch', '-m', '-d', `@${seconds}`, operand(target)], {
    signal: copier.context.signal,
  })
}

/** Copies what comes through a pipe into a file of a sandbox. */
export async function uploadPipe(copier: Copier, to: string): Promise<void> {
  if (to.endsWith('/') || (await isFolder(copier, to)))
    throw new CliError(
      `${printable(to)} is a folder.`,
      'Give the name of a file: `sandglass cp - ID:folder/name`.',
    )
  copier.progress.begin('stdin')
  // A pipe that is still open would keep this process running after an interruption.
  copier.context.defer(() => copier.context.stdin.destroy())
  await writeFile(copier, to, counted(copier.context.stdin, copier.progress), {})
}

/** Into a folder under its own name, as `cp` does. */
async function targetOf(copier: Copier, to: string, name: string): Promise<string> {
  if (to.endsWith('/') || (await isFolder(copier, to))) return posix.join(to, name)
  return to
}

/** The service gives a file its name when it is complete. If it knows the size, it writes a large one directly to the disk. */
async function writeFile(
  { box, context: { signal } }: Copier,
  path: string,
  content: AsyncIterable<Uint8Array>,
  { mode, size }: { readonly mode?: number; readonly size?: number },
): Promise<void> {
  const body = Readable.toWeb(Readable.from(content, { objectMode: false })) as ReadableStream<Uint8Array>
  const headers = size === undefined ? undefined : { 'content-length': String(size) }
  await box.files.write(path, body, { mode, signal, headers })
}

/**
 * Sends an archive, which is unpacked next to its target and then gets its name, or is merged into the folder that has it already.
 * One request per file would take far longer, and would keep neither times nor symlinks.
 */
async function uploadFolder(copier: Copier, path: string, target: string): Promise<void> {
  const { box, progress, context } = copier
  const { entries, failures } = await listFolder(path)
  for (const failure of failures) copier.onSkipped(failure)
  if (entries.length === 0) return
  const staging = posix.join(posix.dirname(target), `.sandglass-cp-${randomUUID()}`)
  // What was interrupted leaves nothing behind, also if this process is about to end.
  context.defer(() => box.files.remove(staging, { timeoutMs: 10_000 }).catch(() => {}))
  const total = entries.reduce((sum, { size }) => sum + size + 512, 0)
  progress.begin(printable(basename(path)), total)
  const archive = packFolder(entries, ({ name }) => progress.rename(printable(name || basename(path))))
  await writeFile(copier, `${staging}/archive`, counted(archive, progress), {})
  const [from, to] = [argument(`${staging}/${rootName}`), argument(target)]
  await runScript(
    copier,
    `tar -xpof ${argument(`${staging}/archive`)} -C ${argument(staging)}
if [ -d ${to} ]; then if ln ${argument(`${staging}/archive`)} ${argument(`${staging}/link`)} 2>/dev/null; then cp -alf ${from}/. ${to}/; else cp -af ${from}/. ${to}/; fi
elif [ -e ${to} ]; then echo ${argument(target)} is there already, and is not a folder.; exit 1
else mv ${from} ${to}; fi`,
  )
}
