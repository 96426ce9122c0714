import { z } from 'zod'
import { operation } from './operation.ts'

/** A domain of the service that forwards to a port inside a sandbox. */
export const Mapping = z
  .object({
    domain: z.string().describe('A host name, or host:port.'),
    targetEndpoint: z.string().describe('host:port inside the sandbox.'),
    accessToken: z.string(),
    waitSeconds: z
      .int()
      .optional()
      .describe('How long the program may take to begin its response, if it was chosen.'),
  })
  .meta({ id: 'Mapping' })
export type Mapping = z.infer<typeof Mapping>

const octet = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const port = '(6553[0-5]|655[0-2]\\d|65[0-4]\\d\\d|6[0-4]\\d{3}|[1-5]\\d{4}|[1-9]\\d{0,3})'

/** An IPv4 address or `localhost` with a canonical decimal port. The address must be the sandbox itself. */
export const TargetEndpoint = z
  .string()
  .regex(new RegExp(`^(localhost|${octet}(\\.${octet}){3}):${port}$`), {
    error: 'must be an IPv4 address or localhost, a colon and a port from 1 to 65535, such as 127.0.0.1:3000',
    abort: true,
  })
  .regex(/^(localhost|127\.[\d.]+|0\.0\.0\.0):/, {
    error:
      'leads out of the sandbox: write localhost, 0.0.0.0 or an address in 127.0.0.0/8, such as 127.0.0.1:3000',
  })

const mappings = '/api/orgs/{orgId}/sandboxes/{sandboxId}/mappings'
const drive = { to: 'organization', role: 'member', trial: true } as const

export const listHttpMappings = operation({
  id: 'listHttpMappings',
  tag: 'HTTP mappings',
  summary: 'List the mapped ports of a sandbox.',
  method: 'GET',
  path: mappings,
  access: drive,
  response: z.array(Mapping),
  errors: ['sandbox.NOT_FOUND'],
})

export const createHttpMapping = operation({
  id: 'createHttpMapping',
  tag: 'HTTP mappings',
  summary: 'Map a port inside a sandbox to a domain.',
  method: 'POST',
  path: mappings,
  access: drive,
  body: z.object({
    targetEndpoint: TargetEndpoint.describe('host:port inside the sandbox, such as 127.0.0.1:3000.'),
    waitSeconds: z
      .int()
      .min(1)
      .max(1800)
      .optional()
      .describe(
        'How long the program may take to begin its response, 300 by default. A call for a port that is mapped already changes it.',
      ),
  }),
  response: Mapping,
  creates: true,
  examples: [{ body: { targetEndpoint: '127.0.0.1:8000' } }],
  errors: ['sandbox.NOT_FOUND', 'mapping.TOO_MANY'],
})

export const getHttpMapping = operation({
  id: 'getHttpMapping',
  tag: 'HTTP mappings',
  summary: 'Get a mapped port of a sandbox.',
  method: 'GET',
  path: `${mappings}/{targetEndpoint}`,
  access: drive,
  response: Mapping,
  errors: ['sandbox.NOT_FOUND', 'mapping.NOT_FOUND'],
})

export const deleteHttpMapping = operation({
  id: 'deleteHttpMapping',
  tag: 'HTTP mappings',
  summary: 'Remove a mapped port.',
  method: 'DELETE',
  path: `${mappings}/{targetEndpoint}`,
  access: drive,
  response: z.object({}),
  errors: ['sandbox.NOT_FOUND', 'mapping.NOT_FOUND'],
})
