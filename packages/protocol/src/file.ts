import { z } from 'zod'
import { enterErrors } from './lifecycle.ts'
import { operation } from './operation.ts'
import { Time } from './time.ts'

/** A path in a sandbox: absolute, or relative to the home folder of the sandbox's user. */
export const SandboxPath = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^\0]*$/, 'must not contain a null byte')
  .describe("A path in the sandbox: absolute, or relative to the home folder of the sandbox's user.")

/** A file or folder in a sandbox. */
export const SandboxFile = z
  .object({
    name: z.string(),
    kind: z.enum(['file', 'directory', 'symlink', 'other']),
    size: z.int(),
    mode: z.string().meta({ description: 'Permission bits in octal, such as 0644.' }),
    user: z.int(),
    group: z.int(),
    modifiedAt: Time,
    target: z.string().optional().meta({ description: 'The target of a symlink, exactly as stored.' }),
  })
  .meta({ id: 'SandboxFile' })
export type SandboxFile = z.infer<typeof SandboxFile>

/** One change in a watched folder. */
export const SandboxFileChange = z
  .object({
    change: z.enum(['created', 'modified', 'removed', 'overflow']).meta({
      description:
        'A rename is reported as removed and created. overflow: some changes were lost, so list the folder again.',
    }),
    path: z.string().optional().meta({ description: 'Relative to the watched folder.' }),
    kind: z.enum(['file', 'directory']).optional(),
  })
  .meta({ id: 'SandboxFileChange' })
export type SandboxFileChange = z.infer<typeof SandboxFileChange>

const files = '/api/orgs/{orgId}/sandboxes/{sandboxId}/files'
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
const sandboxErrors = [...enterErrors, 'node.GONE'] as const

export const listSandboxFiles = operation({
  ...common,
  id: 'listSandboxFiles',
  summary: 'List a folder, sorted by name, in pages.',
  method: 'GET',
  path: files,
  query: z.object({
    path: SandboxPath.default('.'),
    limit: z.coerce.number().int().min(1).max(1000).default(1000).describe('The length of a page.'),
    cursor: z
      .base64('must be a nextCursor from an earlier response')
      .max(1024)
      .optional()
      .describe('The nextCursor of the page before.'),
  }),
  response: z.object({
    files: z.array(SandboxFile),
    nextCursor: z
      .string()
      .nullable()
      .describe('Pass it as cursor to get more files; null if there are none.'),
  }),
  examples: [{ query: { path: '.' } }],
  errors: [...sandboxErrors, ...pathErrors],
})

export const removeSandboxFile = operation({
  ...common,
  id: 'removeSandboxFile',
  summary: 'Remove a file, or a folder with its content. Succeeds if there is nothing at the path.',
  method: 'DELETE',
  path: files,
  query: path,
  examples: [{ query: { path: 'notes.txt' } }],
  errors: [...sandboxErrors, ...pathErrors],
})

export const statSandboxFile = operation({
  ...common,
  id: 'statSandboxFile',
  summary: 'Get information about a file or folder. Symlinks are not followed.',
  method: 'GET',
  path: `${files}/info`,
  query: path,
  response: SandboxFile,
  examples: [{ query: { path: 'notes.txt' } }],
  errors: [...sandboxErrors, ...pathErrors],
})

export const readSandboxFile = operation({
  ...common,
  id: 'readSandboxFile',
  summary: 'Read a file, or the part given by the Range header.',
  method: 'GET',
  path: `${files}/content`,
  query: path,
  answers: 'bytes',
  examples: [{ query: { path: 'notes.txt' } }],
  errors: [...sandboxErrors, ...pathErrors, 'file.RANGE'],
})

export const writeSandboxFile = operation({
  ...common,
  id: 'writeSandboxFile',
  summary:
    'Write the request body to a file and create missing folders. The file appears only once it is complete.',
  method: 'PUT',
  path: `${files}/content`,
  query: path.extend({
    mode: z
      .string()
      .regex(/^0?[0-7]{3}$/, 'must be permission bits in octal, such as 0755')
      .transform(text => Number.parseInt(text, 8))
      .optional()
      .describe('Permission bits in octal, such as 0755. If omitted, 0644.'),
  }),
  accepts: 'bytes',
  long: true,
  response: SandboxFile,
  examples: [{ query: { path: 'notes.txt' }, body: 'Hello\n' }],
  errors: [...sandboxErrors, ...writeErrors],
})

export const uploadSandboxFiles = operation({
  ...common,
  id: 'uploadSandboxFiles',
  summary:
    'Upload the files of a form into a folder, each under its own name. A failure does not stop the others.',
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
  examples: [{ query: { path: '.' } }],
  errors: [...sandboxErrors, 'file.FORM', 'file.FAILED'],
})

export const makeSandboxFolder = operation({
  ...common,
  id: 'makeSandboxFolder',
  summary: 'Create a folder and its parents. Succeeds if it already exists.',
  method: 'POST',
  path: `${files}/folders`,
  body: path,
  examples: [{ body: { path: 'reports/2026' } }],
  errors: [...sandboxErrors, ...writeErrors],
})

export const moveSandboxFile = operation({
  ...common,
  id: 'moveSandboxFile',
  summary: 'Move or rename a file or folder and create missing folders.',
  method: 'POST',
  path: `${files}/move`,
  body: z.object({
    from: SandboxPath.describe('What to move.'),
    to: SandboxPath.describe('Its new path, including its name.'),
    overwrite: z.boolean().default(false).describe('Whether an existing file at the new path is replaced.'),
  }),
  examples: [{ body: { from: 'notes.txt', to: 'archive/notes.txt' } }],
  errors: [...sandboxErrors, ...writeErrors],
})

export const watchSandboxFiles = operation({
  ...common,
  id: 'watchSandboxFiles',
  summary:
    'Stream the changes in a folder as server-sent events, until the folder or the sandbox is gone or the caller disconnects.',
  method: 'GET',
  path: `${files}/changes`,
  query: z.object({
    path: SandboxPath.default('.'),
    recursive: flag.describe('Whether to report changes in the folders below as well.'),
  }),
  answers: { events: SandboxFileChange },
  examples: [{ query: { path: '.', recursive: 'true' } }],
  errors: [...sandboxErrors, ...pathErrors],
})
