import { ApiError, type LiveScope, type Role, roleAllows } from '@sandglass/protocol'

/** The role that each right requires. */
const requiredRoles: Readonly<Record<LiveScope, Role>> = {
  view: 'viewer',
  input: 'member',
  'clipboard:read': 'member',
  'clipboard:write': 'member',
  force: 'admin',
}

const all = Object.keys(requiredRoles) as LiveScope[]

/** Returns all rights of a role. */
export function scopeOf(role: Role): LiveScope[] {
  return all.filter(right => roleAllows(role, requiredRoles[right]))
}

/** Returns those of the given rights that a role allows. */
export function allowedScope(scope: readonly LiveScope[], role: Role): LiveScope[] {
  return scope.filter(right => roleAllows(role, requiredRoles[right]))
}

/** Validates the rights that a member shares. They always include `view`, and never exceed the rights of the member. */
export function chosenScope(scope: readonly LiveScope[], role: Role): LiveScope[] {
  const chosen = all.filter(right => right === 'view' || scope.includes(right))
  if (allowedScope(chosen, role).length < chosen.length) throw new ApiError('live.SCOPE_TOO_WIDE')
  return chosen
}
