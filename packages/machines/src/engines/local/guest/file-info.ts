import type { FileChange, FileInfo } from '../../../contract/files.ts'
import type { Json } from '../../../contract/handle.ts'
import { malformed } from './parse-answer.ts'

const kinds = ['file', 'directory', 'symlink'] as const
const changes = ['created', 'modified', 'removed'] as const

/** Parses file information from the machine, which is not trusted. */
export function toInfo(value: Json | undefined): FileInfo {
  const info = fieldsOf(value)
  const { name } = info
  if (typeof name !== 'string') throw malformed()
  return {
    name,
    kind: kinds.find(kind => kind === info['kind']) ?? 'other',
    size: toCount(info['size']),
    mode: toCount(info['mode']),
    user: toCount(info['user']),
    group: toCount(info['group']),
    modifiedMs: toTime(info['modifiedMs']),
    ...(typeof info['target'] === 'string' && { target: info['target'] }),
  }
}

/** Returns undefined when the watch has ended. */
export function toChange(value: Json | undefined): FileChange | undefined {
  const { change, path, folder } = fieldsOf(value)
  if (change === 'overflow') return { change }
  const known = changes.find(one => one === change)
  return known && typeof path === 'string'
    ? { change: known, path, kind: folder === true ? 'directory' : 'file' }
    : undefined
}

function fieldsOf(value: Json | undefined): Readonly<Record<string, Json>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}
}

const toCount = (value: Json | undefined) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0

/** Restricts the time to what a Date can hold. */
const toTime = (value: Json | undefined) =>
  Number.isSafeInteger(value) && Math.abs(Number(value)) <= 8.64e15 ? Number(value) : 0
