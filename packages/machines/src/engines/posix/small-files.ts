import { buffer } from 'node:stream/consumers'
import { MachineError } from '../../contract/errors.ts'
import {
  type FileInfo,
  type FileOptions,
  type Files,
  maxSmallFile,
  type SmallFile,
} from '../../contract/files.ts'
import { fileError } from './file-errors.ts'

/** Creates a file in a machine that can only write files, which cannot check meanwhile whether there is one. */
export async function createByWriting(
  files: Pick<Files, 'stat' | 'write'>,
  path: string,
  content: Uint8Array,
  options: FileOptions,
): Promise<FileInfo> {
  await requireFree(files, path, options)
  return await files.write(path, content, options)
}

/** Reads a small file in a machine that can only open files. */
export async function readSmallByOpening(
  files: Pick<Files, 'open'>,
  path: string,
  options: FileOptions,
): Promise<SmallFile> {
  const file = await files.open(path, options)
  if (file.info.size <= maxSmallFile) return { info: file.info, content: await buffer(file.read()) }
  file.close()
  return { info: file.info, content: undefined }
}

/** Fails with EXISTS if the path leads to something. */
async function requireFree(files: Pick<Files, 'stat'>, path: string, options: FileOptions): Promise<void> {
  try {
    await files.stat(path, options)
  } catch (error) {
    if (error instanceof MachineError && error.code === 'NOT_FOUND') return
    throw error
  }
  throw fileError('File exists', path)
}
