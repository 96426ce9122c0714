import { z } from 'zod'

/** Ascending: each role includes the rights of the roles before it. */
export const roles = ['viewer', 'member', 'admin', 'owner'] as const

/** The role of a credential in its organization. */
export const Role = z.enum(roles).meta({
  id: 'Role',
  description:
    'viewer can read; member can also create and use machines; admin can also manage projects, keys, trial tokens and webhooks; owner can also read the audit log and create owner keys.',
})
export type Role = z.infer<typeof Role>

/** Whether a role includes the rights of another. */
export function roleAllows(held: Role, needed: Role): boolean {
  return roles.indexOf(held) >= roles.indexOf(needed)
}
