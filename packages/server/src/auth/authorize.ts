import { type Access, ApiError, roleAllows } from '@sandglass/protocol'
import type { Principal } from './principal.ts'

/** The one place that decides who may do what: throws unless this principal may make this call. */
export function authorize(access: Access, principal: Principal, orgId: string | undefined): void {
  if (access.to === 'anyone' || access.to === 'public') return
  if (access.to === 'operator') {
    if (principal.kind !== 'operator') throw new ApiError('auth.OPERATOR_ONLY')
    return
  }
  // Another organization's things do not exist; the operator has no organization.
  if (principal.kind === 'operator' || principal.organization.id !== orgId)
    throw new ApiError('organization.NOT_FOUND')
  if (principal.kind === 'trialToken' && !access.trial) throw new ApiError('auth.NOT_FOR_TRIALS')
  if (!roleAllows(principal.role, access.role))
    throw new ApiError('auth.FORBIDDEN', {
      message: `This operation requires the role ${access.role}; this credential has the role ${principal.role}.`,
    })
}
