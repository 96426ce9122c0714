import { link, lutimes, mkdir, open, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createTarDecoder, type ParsedTarEntry, type TarHeader } from 'modern-tar'
import { CliError } from '../../failures.ts'
import { printable } from '../printable.ts'

/** A folder whose mode and time are set when nothing is written to it any more. */
export interface UnpackedFolder {
  /** The parts of its path below the folder that was unpacked to. */
  readonly parts: readonly string[]
  readonly mode: number
  readonly modified: Date
}

export interface Unpacked {
  readonly folders: readonly UnpackedFolder[]
  /** What could not be unpacked, and why. */
  readonly failures: readonly string[]
}

/**
 * Unpacks an archive into a new folder. Whoever is root in the machine can have made the archive, so nothing may be written outside:
 * names that lead out are refused, and all links are made at the end, when every folder on the way to them is a real one.
 */
export async function unpackFolder(
  archive: ReadableStream<Uint8Array>,
  into: string,
  onEntry: (name: string) => void,
): Promise<Unpacked> {
  const folders: UnpackedFolder[] = []
  const failures: string[] = []
  const links: TarHeader[] = []
  for await (const entry of archive.pipeThrough(createTarDecoder({ strict: true }))) {
    const { header } = entry
    const parts = partsOf(header.name)
    onEntry(header.name)
    const path = join(into, ...parts)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    if (header.type === 'file') await writeFile(path, entry)
    else await entry.body.cancel()
    if (header.type === 'directory') {
      await mkdir(path, { recursive: true, mode: 0o700 })
      folders.push({ parts, mode: modeOf(header, 0o755), modified: timeOf(header) })
    } else if (header.type === 'link' || header.type === 'symlink') links.push(header)
    else if (header.type !== 'file')
      failures.push(`${printable(header.name)}: neither a file, a folder nor a symlink`)
  }
  await makeLinks(links, into)
  return { folders, failures }
}

async function writeFile(path: string, { header, body }: ParsedTarEntry): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  for await (const chunk of body) await file.writeFile(chunk)
  await file.chmod(modeOf(header, 0o644))
  await file.utimes(timeOf(header), timeOf(header))
}

/** Hard links come first, since they must not lead through a symlink. */
async function makeLinks(links: readonly TarHeader[], into: string): Promise<void> {
  for (const { name, linkname = '' } of links.filter(({ type }) => type === 'link'))
    await link(join(into, ...partsOf(linkname)), join(into, ...partsOf(name)))
  for (const header of links.filter(({ type }) => type === 'symlink')) {
    const path = join(into, ...partsOf(header.name))
    await symlink(header.linkname ?? '', path)
    await lutimes(path, timeOf(header), timeOf(header))
  }
}

/** Reads the name of an entry, as tar writes it for `.`: empty for the folder itself. */
export function partsOf(name: string): readonly string[] {
  const path = name.replace(/^\.\/+/, '').replace(/\/+$/, '')
  if (path === '' || path === '.') return []
  const parts = path.split('/')
  const isInside = parts.every(part => part !== '' && part !== '.' && part !== '..' && !part.includes('\0'))
  if (!isInside) throw new CliError(`The machine sent a file whose name leads elsewhere: ${printable(name)}`)
  return parts
}

const modeOf = ({ mode }: TarHeader, usual: number) => (mode ?? usual) & 0o777
const timeOf = ({ mtime }: TarHeader) => mtime ?? new Date()
