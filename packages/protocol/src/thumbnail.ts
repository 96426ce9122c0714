import { z } from 'zod'
import { operation } from './operation.ts'

export const getSandboxThumbnail = operation({
  id: 'getSandboxThumbnail',
  tag: 'Sandboxes',
  summary: "Get a small picture of a sandbox's screen. It does not count as use, and wakes no sandbox.",
  method: 'GET',
  path: '/api/orgs/{orgId}/sandboxes/{sandboxId}/thumbnail',
  access: { to: 'organization', role: 'viewer', trial: true },
  query: z.object({
    width: z.coerce
      .number()
      .int()
      .min(64)
      .max(640)
      .default(320)
      .describe('The width in pixels. A screen that is smaller keeps its size.'),
  }),
  answers: 'bytes',
  mediaType: 'image/webp',
  addition: true,
  errors: ['sandbox.NOT_FOUND', 'sandbox.STATE', 'node.GONE'],
})
