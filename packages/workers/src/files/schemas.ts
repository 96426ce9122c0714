import type * as contract from '@sandglass/machines/contract'
import { z } from 'zod'

/** The max number of entries per page. */
export const pageSize = 1000
/** The engines end a page of very long names earlier. */
export const maxPageBytes = 4 * 1024 * 1024

const maxNameLength = 1024
const maxPathLength = 32 * 1024
/** What a Date can hold. */
const maxTimeMs = 8.64e15

const Count = z.int().min(0)

export const FileInfo: z.ZodType<contract.FileInfo, contract.FileInfo> = z.object({
  name: z.string().max(maxNameLength),
  kind: z.enum(['file', 'directory', 'symlink', 'other']),
  size: Count,
  mode: Count,
  user: Count,
  group: Count,
  modifiedMs: z.int().min(-maxTimeMs).max(maxTimeMs),
  target: z.string().max(maxPathLength).optional(),
})

export const FolderPage: z.ZodType<contract.FolderPage, contract.FolderPage> = z.object({
  entries: z.array(FileInfo).max(pageSize),
  next: z.string().max(maxNameLength).optional(),
})

/** Which part of an open file is read, and whether the file may change meanwhile. */
export const Part = z.object({
  offset: z.number().optional(),
  length: z.number().optional(),
  steady: z.boolean().optional(),
})
export type Part = z.infer<typeof Part>

const maxChangeBytes = 64 * 1024

const FileChange: z.ZodType<contract.FileChange> = z.union([
  z.object({
    change: z.enum(['created', 'modified', 'removed']),
    path: z.string().max(maxPathLength),
    kind: z.enum(['directory', 'file']),
  }),
  z.object({ change: z.literal('overflow') }),
])

export function packChange(change: contract.FileChange): Buffer {
  return Buffer.from(JSON.stringify(change))
}

/** Throws if it is malformed. */
export function unpackChange(message: Buffer): contract.FileChange {
  if (message.length > maxChangeBytes) throw new Error(`a change of ${message.length} bytes`)
  return FileChange.parse(JSON.parse(message.toString()))
}
