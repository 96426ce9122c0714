import { randomUUID } from 'node:crypto'
import type { Pass } from '@sandglass/gateway/rooms'
import { ApiError, type LiveScope } from '@sandglass/protocol'
import type { EndUserTokens, LiveClaims } from '../../auth/end-user-tokens.ts'
import { heldBy, textOf } from '../../auth/held-credential.ts'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { DatabaseClock } from '../../db/clock.ts'
import type { Database } from '../../db/database.ts'
import { authorOf, type SandboxRow } from '../../records/sandboxes.ts'
import { allowedScope, chosenScope, scopeOf } from './scope.ts'
import {
  findInvitation,
  type InvitationRow,
  type RoomRow,
  selectRoom,
  selectValidCredential,
  selectValidSession,
  type ValidCredential,
} from './store.ts'

/** A token expires after this time unless it is renewed. */
const defaultLifeMs = 3_600_000

export interface Granted {
  readonly token: string
  readonly scope: readonly LiveScope[]
  readonly expiresAt: Date
}

/** Decides who may view a sandbox and what they may do there, and signs tokens for it. */
export class LiveRights {
  readonly #db: Database
  readonly #tokens: EndUserTokens
  readonly #clock: DatabaseClock

  constructor(db: Database, tokens: EndUserTokens, clock: DatabaseClock) {
    this.#db = db
    this.#tokens = tokens
    this.#clock = clock
  }

  /** Grants all rights of the caller in a token for an hour, which can be renewed. */
  grant(member: OrganizationPrincipal, sandbox: SandboxRow): Promise<Granted> {
    return this.#sign(sandbox, {
      scope: scopeOf(member.role),
      holder: holderOf(member),
      until: endOf(member),
    })
  }

  /** Grants selected rights for a selected time, which a renewal cannot extend. */
  share(
    member: OrganizationPrincipal,
    sandbox: SandboxRow,
    request: { readonly scope: readonly LiveScope[]; readonly lifetimeSeconds: number },
  ): Promise<Granted> {
    const lifeMs = request.lifetimeSeconds * 1000
    const until = earliest(new Date(this.#clock.now() + lifeMs), endOf(member))
    const scope = chosenScope(request.scope, member.role)
    return this.#sign(sandbox, { scope, holder: holderOf(member), until, lifeMs })
  }

  /** Grants the rights of an invitation, as long as the credential of its creator is valid. */
  async redeem(invitation: InvitationRow): Promise<Granted & { readonly room: RoomRow }> {
    const room = await selectRoom(this.#db, invitation.sandbox_id)
    if (!room) throw new ApiError('live.INVITATION_NOT_FOUND')
    const { created_by: holder, id, expires_at: until } = invitation
    const credential = await this.#credential(holder, room)
    if (!credential) throw new ApiError('live.INVITATION_NOT_FOUND')
    const scope = allowedScope(invitation.scope, credential.role)
    return { ...(await this.#sign(room, { scope, holder, until, invitation: id })), room }
  }

  async admit(token: string, room: string): Promise<Pass> {
    const claims = await this.#tokens.read(token)
    if (claims.room !== room) throw new ApiError('live.TOKEN_INVALID')
    return this.#pass(claims)
  }

  /** Checks that the room, the invitation and the credential behind a token are still valid. */
  async #pass(claims: LiveClaims): Promise<Pass> {
    const room = await selectRoom(this.#db, claims.room)
    if (!room) throw new ApiError('live.ROOM_GONE')
    if (room.live_epoch !== claims.epoch) throw new ApiError('live.TOKEN_REVOKED')
    if (claims.invitation !== undefined && !(await findInvitation(this.#db, { id: claims.invitation })))
      throw new ApiError('live.TOKEN_REVOKED')
    const credential = await this.#credential(claims.holder, room)
    if (!credential) throw new ApiError('live.TOKEN_REVOKED')
    const scope = allowedScope(claims.scope, credential.role)
    return {
      room: claims.room,
      person: claims.person,
      scope: new Set(scope),
      expiresAt: earliest(claims.expiresAt, credential.expiresAt),
      check: () => this.#pass(claims),
      replace: token => this.admit(token, claims.room),
      renew: () => this.#renew(claims, scope),
    }
  }

  async #renew(claims: LiveClaims, scope: readonly LiveScope[]): Promise<{ token: string; pass: Pass }> {
    const room = await selectRoom(this.#db, claims.room)
    if (!room) throw new ApiError('live.ROOM_GONE')
    const lifeMs = Math.max(defaultLifeMs, claims.expiresAt.getTime() - this.#clock.now())
    const { token } = await this.#sign(room, { ...claims, scope, lifeMs })
    return { token, pass: await this.admit(token, claims.room) }
  }

  async #sign(
    sandbox: Pick<SandboxRow, 'id' | 'live_epoch' | 'expires_at'>,
    request: Pick<LiveClaims, 'scope' | 'holder' | 'until' | 'invitation'> & {
      readonly person?: string
      readonly lifeMs?: number
    },
  ): Promise<Granted> {
    const { lifeMs = defaultLifeMs, person = randomUUID(), ...claims } = request
    const end = earliest(earliest(new Date(this.#clock.now() + lifeMs), sandbox.expires_at), request.until)
    // Tokens express time in whole seconds.
    const expiresAt = new Date(Math.floor(end.getTime() / 1000) * 1000)
    const { id: room, live_epoch: epoch } = sandbox
    const token = await this.#tokens.sign({ ...claims, room, epoch, person, expiresAt })
    return { token, scope: claims.scope, expiresAt }
  }

  /**
   * Returns the credential behind a token if it is still valid. A user of the OIDC issuer has no row here, because
   * their token expires with their bearer token.
   */
  async #credential(holder: string, { org_id: orgId }: RoomRow): Promise<ValidCredential | undefined> {
    const at = holder.indexOf(':')
    const [kind, id] = [holder.slice(0, at), holder.slice(at + 1)]
    if (kind === 'apiKey' || kind === 'trialToken') return selectValidCredential(this.#db, kind, id, orgId)
    if (kind === 'session') return selectValidSession(this.#db, id, orgId)
    return kind === 'user' ? { role: 'owner', expiresAt: null } : undefined
  }
}

/** A token that was requested in a session ends with the session. */
function holderOf(member: OrganizationPrincipal): string {
  return member.session ? textOf(heldBy(member)) : authorOf(member)
}

function endOf(member: OrganizationPrincipal): Date | undefined {
  return member.kind === 'user' ? member.expiresAt : undefined
}

function earliest(one: Date, other: Date | null | undefined): Date {
  return other && other < one ? other : one
}
