import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { FileInfo, FileKind } from '@sandglass/machines/contract'
import { type EntryInfo, EntryInfoSchema, FileType } from '../proto/filesystem_pb.js'
import type { AccountNames } from './users.ts'

const types: Readonly<Record<FileKind, FileType>> = {
  file: FileType.FILE,
  directory: FileType.DIRECTORY,
  symlink: FileType.SYMLINK,
  other: FileType.UNSPECIFIED,
}

const marks: Readonly<Record<FileKind, string>> = { file: '-', directory: 'd', symlink: 'L', other: '?' }

/** Describes a file as clients read it. */
export function entryOf(path: string, info: FileInfo, { users, groups }: AccountNames): EntryInfo {
  const { name, kind, size, mode, user, group, modifiedMs, target } = info
  const entry: MessageInitShape<typeof EntryInfoSchema> = {
    name,
    type: types[kind],
    path,
    size: BigInt(size),
    mode,
    permissions: marks[kind] + permissionsOf(mode),
    owner: users.get(user) ?? String(user),
    group: groups.get(group) ?? String(group),
    modifiedTime: timestampFromMs(modifiedMs),
    ...(target !== undefined && { symlinkTarget: target }),
  }
  return create(EntryInfoSchema, entry)
}

/** Writes permission bits as nine letters, such as `rwxr-x---`. */
function permissionsOf(mode: number): string {
  return [...'rwxrwxrwx'].map((letter, at) => (mode & (0o400 >> at) ? letter : '-')).join('')
}
