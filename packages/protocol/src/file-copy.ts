import { z } from 'zod'
import { enterErrors } from './lifecycle.ts'
import { operation } from './operation.ts'

const url = z
  .url({ protocol: /^https?$/ })
  .describe('The service calls public networks only, and those that the operator allowed.')
const headers = z.record(z.string(), z.string()).optional().describe('Headers of the request, by name.')

/** Where a file is read from or written to: a path in the sandbox, or a URL. */
export const FileLocation = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('sandboxFileLocation'),
      path: z.string().min(1).describe("Absolute, or relative to the home folder of the sandbox's user."),
    }),
    z.object({ type: z.literal('httpGetLocation'), url, headers }),
    z.object({ type: z.literal('httpPutLocation'), url, headers }),
    z.object({
      type: z.literal('httpPostFormLocation'),
      url,
      form: z.record(z.string(), z.string()).describe('Other fields of the form, by name.'),
      fileField: z.string().min(1).default('file').describe('The name of the field that carries the file.'),
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
      .array(
        z.object({
          id: z.string().optional().describe('Your own id of the copy. Its result repeats it.'),
          src: FileLocation.describe(
            'Where the file is read from: a sandboxFileLocation or an httpGetLocation.',
          ),
          dest: FileLocation.describe('Where the file is written to; not an httpGetLocation.'),
        }),
      )
      .min(1)
      .max(1000)
      .describe('The copies to make. A failure does not stop the others.'),
  }),
  response: z.object({
    results: z.array(
      z.object({ id: z.string().optional(), success: z.boolean(), error: z.string().optional() }),
    ),
  }),
  examples: [
    {
      body: {
        files: [
          {
            src: { type: 'sandboxFileLocation', path: 'notes.txt' },
            dest: { type: 'sandboxFileLocation', path: 'copies/notes.txt' },
          },
        ],
      },
    },
  ],
  errors: [...enterErrors, 'node.GONE', 'file.FAILED'],
})
