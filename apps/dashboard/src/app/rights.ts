import type { Role } from '@sandglass/protocol'
import { usePerson } from './session.ts'

/** Ascending, as the protocol defines them; its module is not loaded for this, because it contains all schemas. */
export const roles: readonly Role[] = ['viewer', 'member', 'admin', 'owner']

/** The roles that a role includes. */
export function rolesUpTo(role: Role | null): readonly Role[] {
  return role === null ? [] : roles.slice(0, roles.indexOf(role) + 1)
}

/** Whether the person has at least this role. The service decides; pages only leave out what it would refuse. */
export function useMay(needed: Role): boolean {
  return rolesUpTo(usePerson().role).includes(needed)
}
