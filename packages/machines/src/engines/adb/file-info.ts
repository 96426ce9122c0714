import type { AdbSyncStat } from '@yume-chan/adb'
import type { FileInfo } from '../../contract/files.ts'
import { fileKinds } from '../posix/stat-line.ts'

/** Devices before Android 8 do not report the owner of a file. */
export function infoOfSync(name: string, { mode, size, mtime, uid, gid }: AdbSyncStat): FileInfo {
  return {
    name,
    kind: fileKinds[mode >> 12] ?? 'other',
    size: Number(size),
    mode: mode & 0o7777,
    user: uid ?? 0,
    group: gid ?? 0,
    modifiedMs: Number(mtime) * 1000,
  }
}
