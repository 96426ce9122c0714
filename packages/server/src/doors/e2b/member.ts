import type { FastifyRequest } from 'fastify'
import type { OrganizationPrincipal } from '../../auth/principal.ts'

/** The caller of a request that was admitted as one of an organization. */
export function memberOf({ principal }: FastifyRequest): OrganizationPrincipal {
  if (!principal || principal.kind === 'operator')
    throw new Error('a request was admitted without an organization')
  return principal
}
