import { resolve } from 'node:path'
import { z } from 'zod'

/** Where backups are kept. */
export type BackupPlace =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'bucket'; readonly bucket: string; readonly prefix: string }

const bucketPattern = /^s3:\/\/([\w.-]+)((?:\/[\w.-]+)*)\/?$/

/** A folder, made absolute, or `s3://bucket/prefix`. */
export const backupPlace = z
  .string()
  .min(1)
  .transform((text, context): BackupPlace => {
    if (!/^\w+:\/\//.test(text)) return { kind: 'folder', path: resolve(text) }
    const [, bucket, prefix = ''] = bucketPattern.exec(text) ?? []
    if (bucket !== undefined)
      return { kind: 'bucket', bucket, prefix: prefix === '' ? '' : `${prefix.slice(1)}/` }
    context.addIssue('must be a folder, or s3://bucket/prefix')
    return z.NEVER
  })
