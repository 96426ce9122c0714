import type { FileInfo } from '@sandglass/machines/contract'
import type { SandboxFile } from '@sandglass/protocol'

/** Converts the description of a file to the form that the API returns. */
export function sandboxFile({ modifiedMs, mode, ...info }: FileInfo): SandboxFile {
  return {
    ...info,
    mode: mode.toString(8).padStart(4, '0'),
    modifiedAt: new Date(modifiedMs).toISOString(),
  }
}
