import { buffer } from 'node:stream/consumers'
import { type Files, MachineError } from '@sandglass/machines/contract'
import { ToolError } from '@sandglass/protocol/tools'

/** Larger files do not fit into the context of a model. */
const maxBytes = 4 * 1024 * 1024
const maxEntries = 500

export async function readText(files: Files, path: string, signal: AbortSignal): Promise<string> {
  const file = await files.open(path, { signal })
  if (file.info.size > maxBytes) {
    file.close()
    throw new ToolError(
      `${path} has ${file.info.size} bytes, which is too large to read at once. Use shell with head, tail or grep.`,
    )
  }
  const bytes = await buffer(file.read())
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new ToolError(`${path} is not UTF-8 text. Use shell for it.`)
  }
}

/** Writes a file and keeps the permissions of an existing one. */
export async function writeText(
  files: Files,
  path: string,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  await files.write(path, Buffer.from(text), { signal, ...(await modeOf(files, path, signal)) })
}

async function modeOf(files: Files, path: string, signal: AbortSignal): Promise<{ mode?: number }> {
  try {
    const { kind, mode } = await files.stat(path, { signal })
    return kind === 'file' ? { mode } : {}
  } catch (error) {
    if (error instanceof MachineError && error.code === 'NOT_FOUND') return {}
    throw error
  }
}

/** Lists a folder with one entry per line. Returns undefined if the path is not a folder. */
export async function viewFolder(
  files: Files,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { entries, next } = await files.list(path, { limit: maxEntries, signal })
    const lines = entries.map(({ name, kind, size }) =>
      kind === 'directory' ? `${name}/` : `${name}\t${size} bytes`,
    )
    if (next !== undefined) lines.push(`… and more; use shell with ls to see all.`)
    return lines.length > 0 ? lines.join('\n') : 'The folder is empty.'
  } catch (error) {
    if (error instanceof MachineError && error.code === 'WRONG_KIND') return undefined
    throw error
  }
}
