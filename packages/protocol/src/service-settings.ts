import { z } from 'zod'
import { operation } from './operation.ts'

/** A setting as it applies to a process of the service. */
export const EffectiveSetting = z
  .object({
    name: z.string().describe('The environment variable.'),
    value: z
      .string()
      .nullable()
      .describe('As it would be written in the environment; null for a secret, and if it has no value.'),
    isDefault: z.boolean().describe('Whether it was left as it is. A secret is set if this is false.'),
    isSecret: z.boolean().describe('The value of a secret is never shown.'),
    about: z.string(),
  })
  .meta({ id: 'EffectiveSetting' })
export type EffectiveSetting = z.infer<typeof EffectiveSetting>

export const getSettings = operation({
  id: 'getSettings',
  tag: 'Operator',
  summary:
    'Get the settings of the process that answers, with their defaults and without secrets. Other nodes can have others.',
  method: 'GET',
  path: '/api/operator/settings',
  access: { to: 'operator' },
  response: z.array(EffectiveSetting),
  addition: true,
})
