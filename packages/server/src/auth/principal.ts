import type { Role } from '@sandglass/protocol'

/** The facts of an organization that decide what its members may do. */
export interface OrganizationFacts {
  readonly id: string
  readonly planTier: number
  readonly featureFlags: readonly string[]
}

interface Member {
  readonly id: string
  readonly organization: OrganizationFacts
  readonly role: Role
}

export interface TrialSession extends Member {
  readonly kind: 'trialToken'
  readonly sandboxQuota: number
  readonly shapeNames: readonly string[]
}

/** Somebody who acts within an organization. */
export type OrganizationPrincipal =
  | (Member & { readonly kind: 'apiKey' })
  /** By a bearer token, which ends then. */
  | (Member & { readonly kind: 'user'; readonly expiresAt: Date })
  | TrialSession

/** On whose behalf something is done: a caller, or an MCP server of the organization that keeps to its policy. */
export type Actor = OrganizationPrincipal | (Member & { readonly kind: 'mcpServer' })

/** Whoever runs the service; outside every organization. */
export interface Operator {
  readonly kind: 'operator'
  readonly id: string
}

/** Who is calling. */
export type Principal = OrganizationPrincipal | Operator
