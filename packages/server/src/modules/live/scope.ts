import { ApiError, type LiveScope, type Role, roleAllows } from '@sandglass/protocol'

/** The role that a right needs. */
const needs: Readonly<Record<LiveScope, Role>> = {
  view: 'viewer',
  input: 'member',
  'clipboard:read': 'member',
  'clipboard:write': 'member',
  force: 'admin',
}

const all = Object.keys(needs) as LiveScope[]

/** Everything that a role allows. */
export function scopeOf(role: Role): LiveScope[] {
  return all.filter(right => roleAllows(role, needs[right]))
}

/** Of these rights those that a role still allows. */
export function allowedScope(scope: readonly LiveScope[], role: Role): LiveScope[] {
  return scope.filter(right => roleAllows(role, needs[right]))
}

/** Rights that are given away: no more than the giver has, and nothing without looking. */
export function chosenScope(scope: readonly LiveScope[], role: Role): LiveScope[] {
  const chosen = all.filter(right => right === 'view' || scope.includes(right))
  if (allowedScope(chosen, role).length < chosen.length) throw new ApiError('live.SCOPE_TOO_WIDE')
  return chosen
}
