import type { FileInfo } from '@sandglass/machines/contract'
import type { SandboxFile } from '@sandglass/protocol'

/** A file as the API tells of it. */
export function sandboxFile({ modifiedMs, mode, ...info }: FileInfo): SandboxFile {
  return {
    ...info,
    mode: mode.toString(8).padStart(4, '0'),
    modifiedAt: new Date(modifiedMs).toISOString(),
  }
}
