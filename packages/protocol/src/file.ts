import { z } from 'zod'
import { operation } from './operation.ts'
import { Time } from './time.ts'

/** Absolute, or relative to the home of the sandbox's user. */
export const SandboxPath = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^\0]*$/, 'must not contain a zero byte')

export const SandboxFile = z
  .object({
    name: z.string(),
    kind: z.enum(['file', 'directory', 'symlink', 'other']),
    size: z.int(),
    mode: z.string().meta({ description: 'Permission bits in octal, such as 0644.' }),
    user: z.int(),
    group: z.int(),
    modifiedAt: Time,
    target: z.string().optional().meta({ description: 'Where a symlink points, as written in it.' }),
  })
  .meta({ id: 'SandboxFile' })
export type SandboxFile = z.infer<typeof SandboxFile>

export const SandboxFileChange = z
  .object({
    change: z.enum(['created', 'modified', 'removed', 'overflow']).meta({
      description:
        'A rename is a removal and a creation. overflow: changes were lost, look at the folder itself.',
    }),
    path: z.string().optional().meta({ description: 'Relative to the folder that is watched.' }),
    kind: z.enum(['file', 'directory']).optional(),
  })
  .meta({ id: 'SandboxFileChange' })
export type SandboxFileChange = z.infer<typeof SandboxFileChange>

const files = '/api/orgs/{orgId}/sandboxes/{id}/files'
const common = {
  tag: 'Inside the machine',
  access: { to: 'organization', role: 'member', trial: true },
  addition: true,
} as const
const path = z.object({ path: SandboxPath })
const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform(text => text === 'true')

const pathErrors = [
  'file.NOT_FOUND',
  'file.DENIED',
  'file.INVALID',
  'file.WRONG_KIND',
  'file.FAILED',
] as const
const writeErrors = [...pathErrors, 'file.EXISTS', 'file.NO_SPACE', 'node.DISK_FULL'] as const
const inside = ['sandbox.NOT_FOUND', 'sandbox.STATE', 'sandbox.UNREACHABLE', 'node.GONE'] as const

export const listSandboxFiles = operation({
  ...common,
  id: 'listSandboxFiles',
  summary: 'What is in a folder, in the order of the names, by pages.',
  method: 'GET',
  path: files,
  query: z.object({
    path: SandboxPath.default('.'),
    limit: z.coerce.number().int().min(1).max(1000).default(1000),
    cursor: z
      .string()
      .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be a nextCursor of an earlier answer')
      .max(1024)
      .optional(),
  }),
  response: z.object({
    files: z.array(SandboxFile),
    nextCursor: z.string().nullable().describe('For the files after these; null at the end.'),
  }),
  errors: [...inside, ...pathErrors],
})

export const removeSandboxFile = operation({
  ...common,
  id: 'removeSandboxFile',
  summary: 'Remove a file, or a folder with all that is in it. What is not there counts as removed.',
  method: 'DELETE',
  path: files,
  query: path,
  errors: [...inside, ...pathErrors],
})

export const statSandboxFile = operation({
  ...common,
  id: 'statSandboxFile',
  summary: 'What is known of a file or folder; of a symlink itself.',
  method: 'GET',
  path: `${files}/info`,
  query: path,
  response: SandboxFile,
  errors: [...inside, ...pathErrors],
})

export const readSandboxFile = operation({
  ...common,
  id: 'readSandboxFile',
  summary: 'The content of a file, whole or the part that Range names.',
  method: 'GET',
  path: `${files}/content`,
  query: path,
  answers: 'bytes',
  errors: [...inside, ...pathErrors, 'file.RANGE'],
})

export const writeSandboxFile = operation({
  ...common,
  id: 'writeSandboxFile',
  summary: 'Write a file from the bytes of the body, with its folders. It appears when it is whole.',
  method: 'PUT',
  path: `${files}/content`,
  query: path.extend({
    mode: z
      .string()
      .regex(/^0?[0-7]{3}$/, 'must be permission bits in octal, such as 0755')
      .transform(text => Number.parseInt(text, 8))
      .optional(),
  }),
  accepts: 'bytes',
  long: true,
  response: SandboxFile,
  errors: [...inside, ...writeErrors],
})

export const uploadSandboxFiles = operation({
  ...common,
  id: 'uploadSandboxFiles',
  summary:
    'Write the files of a form into a folder, each under its name. One failure does not stop the others.',
  method: 'POST',
  path: `${files}/content`,
  query: z.object({ path: SandboxPath.default('.') }),
  accepts: 'form',
  long: true,
  response: z.object({
    results: z.array(
      z.object({
        name: z.string(),
        success: z.boolean(),
        file: SandboxFile.optional(),
        error: z.string().optional(),
      }),
    ),
  }),
  errors: [...inside, 'file.FORM'],
})

export const makeSandboxFolder = operation({
  ...common,
  id: 'makeSandboxFolder',
  summary: 'Make a folder with its parents. One that is there already is fine.',
  method: 'POST',
  path: `${files}/folders`,
  body: path,
  errors: [...inside, ...writeErrors],
})

export const moveSandboxFile = operation({
  ...common,
  id: 'moveSandboxFile',
  summary: 'Give a file or folder another name or place, with the folders that it needs.',
  method: 'POST',
  path: `${files}/move`,
  body: z.object({
    from: SandboxPath,
    to: SandboxPath,
    overwrite: z.boolean().default(false),
  }),
  errors: [...inside, ...writeErrors],
})

export const watchSandboxFiles = operation({
  ...common,
  id: 'watchSandboxFiles',
  summary:
    'What changes in a folder, as server-sent events, until the folder, the sandbox or the caller goes.',
  method: 'GET',
  path: `${files}/changes`,
  query: z.object({ path: SandboxPath.default('.'), recursive: flag }),
  answers: { events: SandboxFileChange },
  errors: [...inside, ...pathErrors],
})
