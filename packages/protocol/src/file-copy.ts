import { z } from 'zod'
import { enterErrors } from './lifecycle.ts'
import { operation } from './operation.ts'

const url = z.url({ protocol: /^https?$/ })
const headers = z.record(z.string(), z.string()).optional()

/** Where a file is read from or written to: a path in the sandbox, or a URL. */
export const FileLocation = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('sandboxFileLocation'), path: z.string().min(1) }),
    z.object({ type: z.literal('httpGetLocation'), url, headers }),
    z.object({ type: z.literal('httpPutLocation'), url, headers }),
    z.object({
      type: z.literal('httpPostFormLocation'),
      url,
      form: z.record(z.string(), z.string()),
      fileField: z.string().min(1).default('file'),
      headers,
    }),
  ])
  .meta({ id: 'FileLocation' })
export type FileLocation = z.infer<typeof FileLocation>

export const copyFilesWithSandbox = operation({
  id: 'copyFilesWithSandbox',
  tag: 'Inside the machine',
  summary: 'Copy files into, out of or within a sandbox.',
  method: 'POST',
  path: '/api/orgs/{orgId}/sandboxes/{sandboxId}/file/copy',
  access: { to: 'organization', role: 'member', trial: true },
  long: true,
  largeBody: true,
  body: z.object({
    files: z
      .array(z.object({ id: z.string().optional(), src: FileLocation, dest: FileLocation }))
      .min(1)
      .max(1000),
  }),
  response: z.object({
    results: z.array(
      z.object({ id: z.string().optional(), success: z.boolean(), error: z.string().optional() }),
    ),
  }),
  errors: [...enterErrors, 'node.GONE', 'file.FAILED'],
})
