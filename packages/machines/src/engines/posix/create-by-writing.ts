import { MachineError } from '../../contract/errors.ts'
import type { CreatedFile, FileOptions, Files } from '../../contract/files.ts'
import { fileError } from './file-errors.ts'

/** Creates a file in a machine that can only write files, which cannot check meanwhile whether there is one. */
export async function createByWriting(
  files: Pick<Files, 'stat' | 'write' | 'open'>,
  path: string,
  content: Promise<Uint8Array>,
  options: FileOptions,
): Promise<CreatedFile> {
  const [bytes] = await Promise.all([content, requireFree(files, path, options)])
  const info = await files.write(path, bytes, options)
  return { info, open: () => files.open(path, withoutSignal(options)), close: () => {} }
}

const withoutSignal = ({ user }: FileOptions) => (user === undefined ? {} : { user })

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
