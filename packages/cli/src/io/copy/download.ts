import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, posix, resolve } from 'node:path'
import { CliError } from '../../failures.ts'
import { printable } from '../printable.ts'
import { writeAll } from '../write-all.ts'
import { argument, type Copier, isContentOnly, isFolder, runScript } from './copier.ts'
import { finishFolders, mergeFolder } from './merge-folder.ts'
import { counted } from './progress.ts'
import { unpackFolder } from './unpack-folder.ts'

/** Copies a file or folder of a sandbox to this computer. */
export async function download(copier: Copier, from: string, to: string): Promise<void> {
  const target = resolve(copier.context.cwd, to)
  const isInto =
    !isContentOnly(from) && (to.endsWith('/') || (await stat(target).catch(() => undefined))?.isDirectory())
  const final = isInto ? join(target, nameOf(from)) : target
  await mkdir(dirname(final), { recursive: true })
  if (await isFolder(copier, from)) await downloadFolder(copier, from, final)
  else await downloadFile(copier, from, final)
}

/** Copies a file of a sandbox to stdout. */
export async function downloadPipe(copier: Copier, from: string): Promise<void> {
  const { box, progress, context } = copier
  if (await isFolder(copier, from))
    throw new CliError(`${printable(from)} is a folder.`, 'Give a folder of this computer as its target.')
  progress.begin(printable(nameOf(from)))
  const content = await box.files.readStream(from, { signal: context.signal })
  for await (const chunk of counted(content, progress)) await writeAll(context.stdout, chunk)
}

/** The last part of a path. A machine must not choose another folder by it. */
function nameOf(path: string): string {
  const name = posix.basename(path)
  if (!['', '.', '..'].includes(name)) return name
  throw new CliError(`${printable(path)} has no name.`, 'Give the path of the folder, such as /home/user.')
}

/** Writes to another name first, so that an interrupted copy leaves no half file under the final one. */
async function downloadFile(
  { box, progress, context: { signal } }: Copier,
  from: string,
  to: string,
): Promise<void> {
  const content = await box.files.readStream(from, { signal })
  const info = await box.files.stat(from, { signal })
  progress.begin(printable(basename(to)), info.kind === 'file' ? info.size : undefined)
  const partial = join(dirname(to), `.sandglass-cp-${randomUUID()}`)
  try {
    {
      await using file = await open(partial, 'wx', 0o600)
      for await (const chunk of counted(content, progress)) await file.writeFile(chunk)
      if (info.kind === 'file') {
        await file.chmod(Number.parseInt(info.mode, 8) & 0o777)
        await file.utimes(new Date(), new Date(info.modifiedAt))
      } else await file.chmod(0o644)
    }
    signal.throwIfAborted()
    await rename(partial, to)
  } finally {
    await rm(partial, { force: true })
  }
}

async function downloadFolder(copier: Copier, from: string, to: string): Promise<void> {
  const { box, progress, context } = copier
  const staging = await mkdtemp(join(dirname(to), '.sandglass-cp-'))
  context.defer(() => rm(staging, { recursive: true, force: true }))
  progress.begin(printable(basename(to)))
  const remote = `/tmp/.sandglass-cp-${randomUUID()}`
  context.defer(() => box.files.remove(remote, { timeoutMs: 10_000 }).catch(() => {}))
  await box.files.makeFolder(remote, { signal: context.signal })
  // The folder itself may be a symlink, which is followed; those in it are not. 1 and 2 are for files that could not be read.
  const said = await runScript(copier, `tar -cf ${remote}/archive -C ${argument(from)}/ . || [ $? -le 2 ]`)
  const archive = await box.files.readStream(`${remote}/archive`, { signal: context.signal })
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      progress.add(chunk.length)
      controller.enqueue(chunk)
    },
  })
  const unpacked = await unpackFolder(archive.pipeThrough(counting), join(staging, 'copy'), name =>
    progress.rename(printable(name)),
  )
  for (const failure of unpacked.failures) copier.onSkipped(failure)
  for (const line of said.split('\n').filter(Boolean)) copier.onSkipped(printable(line))
  context.signal.throwIfAborted()
  await mergeFolder(join(staging, 'copy'), to)
  await finishFolders(unpacked.folders, to)
}
