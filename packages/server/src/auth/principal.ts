import type { Role } from '@sandglass/protocol'

/** The properties of an organization that decide what its members may do. */
export interface OrganizationFacts {
  readonly id: string
  readonly planTier: number
  readonly featureFlags: readonly string[]
}

/** The session in which a person makes a call. */
export interface PrincipalSession {
  readonly id: string
  readonly createdAt: Date
  /** When it ends at the latest, by itself or with the credential that it stands for. */
  readonly expiresAt: Date
  /** The address from which the person signed in. */
  readonly address: string
}

interface Member {
  readonly id: string
  readonly organization: OrganizationFacts
  readonly role: Role
  /** Set if the call was made in a session instead of with the credential itself. */
  readonly session?: PrincipalSession
}

export interface TrialSession extends Member {
  readonly kind: 'trialToken'
  readonly expiresAt: Date
  readonly sandboxQuota: number
  readonly shapeNames: readonly string[]
}

/** A principal that was recognised by a secret which can be replaced. */
interface BySecret {
  /** The hash of the secret. Left out if the principal was recognised by something else that stands for the key. */
  readonly secret?: string | undefined
}

/** A caller who acts within an organization. */
export type OrganizationPrincipal =
  /** `expiresAt` is the end of the key, or of a replaced secret if it ends earlier. */
  | (Member & BySecret & { readonly kind: 'apiKey'; readonly expiresAt: Date | null })
  /** The holder of a bearer token, which expires at `expiresAt`. */
  | (Member & { readonly kind: 'user'; readonly expiresAt: Date })
  | TrialSession

/**
 * The party that an action is attributed to: a caller, or an MCP server of the organization, which acts within its
 * policy.
 */
export type Actor = OrganizationPrincipal | (Member & { readonly kind: 'mcpServer' })

/** The person who runs the service. An operator belongs to no organization. */
export interface Operator extends BySecret {
  readonly kind: 'operator'
  readonly id: string
  /** Only a secret that was replaced ends by itself. */
  readonly expiresAt?: Date | null
  readonly session?: PrincipalSession
}

/** The authenticated caller of a request. */
export type Principal = OrganizationPrincipal | Operator
