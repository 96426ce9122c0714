import { z } from 'zod'

/** Which file is meant, and as whom. */
export const FileQuery = z.object({
  path: z.string().max(4096).default(''),
  username: z.string().max(100).default(''),
  signature: z.string().max(200).optional(),
  signature_expiration: z.coerce.number().int().optional(),
})
export type FileQuery = z.output<typeof FileQuery>
