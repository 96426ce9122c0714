import {
  editedText,
  type FilesInput,
  filesConfirmations,
  numberedLines,
  ToolError,
} from '@sandglass/protocol/tools'
import type { CallOptions } from '../call-options.ts'
import { SandglassError } from '../errors.ts'
import { done, type Outcome } from './outcome.ts'
import type { ToolTarget } from './target.ts'

/** Larger files do not fit into the context of a model. */
const maxBytes = 4 * 1024 * 1024
const maxEntries = 500

/** Views and changes text files, as the tool `files` of MCP servers does. */
export async function editFiles(
  target: ToolTarget,
  input: FilesInput,
  call: CallOptions = {},
): Promise<Outcome> {
  const { path, action, firstLine, lastLine } = input
  const { client, id: sandboxId } = target
  if (action === 'view') {
    const folder = await viewFolder(target, path, call)
    return done(folder ?? numberedLines(await readText(target, path, call), firstLine, lastLine))
  }
  const text = await editedText(input, () => readText(target, path, call))
  const mode = await modeOf(target, path, call)
  await client.writeSandboxFile({ sandboxId, path, body: text, ...(mode !== undefined && { mode }) }, call)
  return done(`${filesConfirmations[action]} ${path}.`)
}

async function readText(
  { client, id: sandboxId }: ToolTarget,
  path: string,
  call: CallOptions,
): Promise<string> {
  const file = await client.readSandboxFile({ sandboxId, path }, call)
  const size = Number(file.headers.get('content-length') ?? 0)
  if (size > maxBytes) {
    await file.stream.cancel()
    throw new ToolError(
      `${path} has ${size} bytes, which is too large to read at once. Use shell with head, tail or grep.`,
    )
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.bytes())
  } catch (error) {
    if (error instanceof TypeError) throw new ToolError(`${path} is not UTF-8 text. Use shell for it.`)
    throw error
  }
}

/** Lists a folder with one entry per line. Returns undefined if the path is not a folder. */
async function viewFolder(
  { client, id: sandboxId }: ToolTarget,
  path: string,
  call: CallOptions,
): Promise<string | undefined> {
  try {
    const { files, nextCursor } = await client.listSandboxFiles({ sandboxId, path, limit: maxEntries }, call)
    const lines = files.map(({ name, kind, size }) =>
      kind === 'directory' ? `${name}/` : `${name}\t${size} bytes`,
    )
    if (nextCursor) lines.push('… and more; use shell with ls to see all.')
    return lines.length > 0 ? lines.join('\n') : 'The folder is empty.'
  } catch (error) {
    if (error instanceof SandglassError && error.code === 'file.WRONG_KIND') return undefined
    throw error
  }
}

/** The permissions of a file that exists, so that a change keeps them. */
async function modeOf(
  { client, id: sandboxId }: ToolTarget,
  path: string,
  call: CallOptions,
): Promise<string | undefined> {
  try {
    const { kind, mode } = await client.statSandboxFile({ sandboxId, path }, call)
    return kind === 'file' ? mode : undefined
  } catch (error) {
    if (error instanceof SandglassError && error.code === 'file.NOT_FOUND') return undefined
    throw error
  }
}
