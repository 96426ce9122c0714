import { NotFoundError } from '@sandglass/client'
import type { SandboxFile } from '@sandglass/protocol'
import type { Box } from '../box.ts'
import { join, parentOf } from './paths.ts'

const maxBytes = 1024 * 1024
const maxLinks = 8

/** A text that is open for editing, and how the file was when it was read. */
export interface OpenText {
  readonly kind: 'text'
  /** Where the file is, after links. */
  readonly path: string
  readonly text: string
  readonly info: SandboxFile
}

/** Something that is not opened, and why. */
export interface NotOpened {
  readonly kind: 'none'
  readonly path: string
  readonly reason: string
  readonly canDownload: boolean
}

/** Reads a file if it is a text of moderate size. */
export async function readText(box: Box, path: string): Promise<OpenText | NotOpened> {
  const { at, info } = await followLinks(box, path)
  const none = (reason: string, canDownload = true): NotOpened => ({
    kind: 'none',
    path: at,
    reason,
    canDownload,
  })
  if (info.kind === 'directory') return none(`This is a link to the folder ${at}.`, false)
  if (info.kind !== 'file') return none('This is not a regular file.', false)
  if (info.size > maxBytes) return none('This file is too large to be opened here.')
  const text = textOf(await box.files.read(at))
  return text === undefined ? none('This file is not a text.') : { kind: 'text', path: at, text, info }
}

/** Whether a file is other than it was when it was read. One that is gone is not: saving creates it again. */
export async function hasChanged(box: Box, { path, info }: OpenText): Promise<boolean> {
  try {
    const now = await box.files.stat(path)
    return now.modifiedAt !== info.modifiedAt || now.size !== info.size
  } catch (error) {
    if (error instanceof NotFoundError && error.code === 'file.NOT_FOUND') return false
    throw error
  }
}

/** Writes the text, with the permissions that the file has. */
export async function writeText(box: Box, { path, info }: OpenText, text: string): Promise<OpenText> {
  const mode = Number.parseInt(info.mode, 8) & 0o777
  return { kind: 'text', path, text, info: await box.files.write(path, text, { mode }) }
}

async function followLinks(box: Box, path: string): Promise<{ at: string; info: SandboxFile }> {
  let at = path
  for (let links = 0; ; links++) {
    const info = await box.files.stat(at)
    if (info.kind !== 'symlink' || info.target === undefined || links === maxLinks) return { at, info }
    at = join(parentOf(at), info.target)
  }
}

/** Undefined if the bytes are no text. A byte order mark is kept. */
function textOf(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
