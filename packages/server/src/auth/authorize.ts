import { type Access, ApiError, roleAllows } from '@sandglass/protocol'
import type { Principal } from './principal.ts'

/** Throws unless this principal may make this call. No other place decides about permissions. */
export function authorize(access: Access, principal: Principal, orgId: string | undefined): void {
  if (access.to === 'anyone' || access.to === 'public') return
  if (access.to === 'operator') {
    if (principal.kind !== 'operator') throw new ApiError('auth.OPERATOR_ONLY')
    return
  }
  // Report "not found" instead of "forbidden", so that callers cannot find out which organizations exist. The
  // operator belongs to no organization.
  if (principal.kind === 'operator' || principal.organization.id !== orgId)
    throw new ApiError('organization.NOT_FOUND')
  if (principal.kind === 'trialToken' && !access.trial) throw new ApiError('auth.NOT_FOR_TRIALS')
  if (!roleAllows(principal.role, access.role))
    throw new ApiError('auth.FORBIDDEN', {
      message: `This operation requires the role ${access.role}; this credential has the role ${principal.role}.`,
    })
}
