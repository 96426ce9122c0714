import { z } from 'zod'
import { NewNetwork } from './network.ts'
import { Seconds } from './seconds.ts'

/** How long a sandbox lives if the client does not say. */
export const defaultTimeoutSeconds = 300

/** The longest life that one call can ask for. */
export const maxTimeoutSeconds = 86_400

/** The body of a request for a new sandbox. Fields that no client of the supported versions sends are ignored. */
export const NewSandbox = z.object({
  templateID: z.string().min(1).max(200).default('base'),
  timeout: Seconds.default(defaultTimeoutSeconds),
  metadata: z.record(z.string(), z.string()).default({}),
  envVars: z.record(z.string(), z.string()).default({}),
  allow_internet_access: z.boolean().nullish(),
  network: NewNetwork.optional(),
  autoPause: z.boolean().default(false),
  autoPauseMemory: z.boolean().optional(),
  autoResume: z.object({ enabled: z.boolean() }).optional(),
  volumeMounts: z.array(z.object({ name: z.string(), path: z.string() })).default([]),
  mcp: z.unknown().optional(),
  iam: z.unknown().optional(),
})
export type NewSandbox = z.output<typeof NewSandbox>
