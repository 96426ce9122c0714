import { z } from 'zod'
import { GraceSeconds } from './api-key.ts'
import { operation } from './operation.ts'
import { Time } from './time.ts'

/** The response to a rotation, the only one that contains the new key. */
export const RotatedOperatorKey = z
  .object({
    id: z.string(),
    prefix: z.string().describe('The first characters of the key, to identify it.'),
    createdAt: Time,
    oldKeyEndsAt: Time,
    credentialsFile: z
      .enum(['updated', 'unchanged'])
      .describe(
        'updated: the new key is in credentials.json of the node that answers. unchanged: that file did not contain the old key. If the file of another node or your own records contain it, replace it there.',
      ),
    operatorKey: z.string().describe('Shown only once.'),
  })
  .meta({ id: 'RotatedOperatorKey' })
export type RotatedOperatorKey = z.infer<typeof RotatedOperatorKey>

export const rotateOperatorKey = operation({
  id: 'rotateOperatorKey',
  tag: 'Operator',
  summary:
    "Replace the secret of the caller's operator key. The old one ends after graceSeconds, on every node within a second, with everything that was opened with it.",
  method: 'POST',
  path: '/api/operator/keys/rotate',
  access: { to: 'operator' },
  body: z.object({ graceSeconds: GraceSeconds }).prefault({}),
  response: RotatedOperatorKey,
  examples: [{ body: { graceSeconds: 3600 } }],
  addition: true,
})
