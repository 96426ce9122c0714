import { z } from 'zod'

/** From the least to the most: each role may do all that the roles before it may. */
export const roles = ['viewer', 'member', 'admin', 'owner'] as const

export const Role = z.enum(roles).meta({
  id: 'Role',
  description:
    'viewer reads; member also makes and drives machines; admin also keeps projects, keys and trial tokens; owner also reads the audit log and makes owners.',
})
export type Role = z.infer<typeof Role>

export function roleAllows(held: Role, needed: Role): boolean {
  return roles.indexOf(held) >= roles.indexOf(needed)
}
