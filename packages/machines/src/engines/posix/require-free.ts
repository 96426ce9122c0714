import { MachineError } from '../../contract/errors.ts'
import type { FileOptions, Files } from '../../contract/files.ts'
import { fileError } from './file-errors.ts'

/** Fails with EXISTS if the path leads to something, for machines that cannot check this while they write. */
export async function requireFree(
  files: Pick<Files, 'stat'>,
  path: string,
  { user, signal }: FileOptions,
): Promise<void> {
  try {
    await files.stat(path, { ...(user !== undefined && { user }), ...(signal && { signal }) })
  } catch (error) {
    if (error instanceof MachineError && error.code === 'NOT_FOUND') return
    throw error
  }
  throw fileError('File exists', path)
}
