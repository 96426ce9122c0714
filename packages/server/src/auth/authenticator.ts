import type { DatabaseClock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { FreshReads } from '../db/fresh-reads.ts'
import type { Listener } from '../db/listener.ts'
import { VouchedCache } from '../db/vouched-cache.ts'
import { KnownHashes } from './known-hashes.ts'
import type { BearerTokens } from './oidc.ts'
import type { OrganizationFacts, Principal } from './principal.ts'
import { kindOf, type SecretKind } from './secret.ts'
import { findOrganizationFacts, findPrincipal, recordUse, type Verified } from './stored-credentials.ts'

const recordUseEveryMs = 60_000

/** Finds the principal that holds a credential. */
export class Authenticator {
  readonly #db: Database
  readonly #listener: Pick<Listener, 'isFresh'>
  readonly #clock: DatabaseClock
  readonly #bearerTokens: BearerTokens | undefined
  readonly #hashes = new KnownHashes()
  readonly #secrets = new VouchedCache<Verified | undefined>()
  /** By kind and id, for what stands for a credential without its secret. */
  readonly #held = new VouchedCache<Verified | undefined>()
  readonly #organizations = new VouchedCache<OrganizationFacts | undefined>()
  readonly #reads = new FreshReads<Verified | undefined>()
  readonly #useRecordedAt = new Map<string, number>()
  readonly #usedKeys = new Set<string>()

  constructor(
    db: Database,
    listener: Pick<Listener, 'isFresh'>,
    clock: DatabaseClock,
    bearerTokens: BearerTokens | undefined,
  ) {
    this.#db = db
    this.#clock = clock
    this.#listener = listener
    this.#bearerTokens = bearerTokens
  }

  /**
   * Returns undefined if the credential is unknown, revoked or expired. A cached principal is returned without a
   * promise, because nearly every request takes that path.
   */
  identify(credential: string): Principal | undefined | Promise<Principal | undefined> {
    const kind = kindOf(credential)
    if (kind === undefined) return this.#identifyBearer(credential)
    const key = this.#hashes.of(credential)
    const cached = this.#secrets.recall(key, this.#listener)
    return cached ? this.#holder(cached) : this.#lookUp(kind, credential, key)
  }

  /** Finds the principal of a key or trial token that something stands for which the service has signed itself. */
  identifyHeld(kind: SecretKind, id: string): Principal | undefined | Promise<Principal | undefined> {
    const key = `${kind}:${id}`
    const cached = this.#held.recall(key, this.#listener)
    if (cached) return this.#holder(cached)
    const find = () => this.#reads.read(key, () => findPrincipal(this.#db, kind, { id }))
    return this.#held.get(key, this.#listener, find).then(found => found && this.#holder(found))
  }

  async #lookUp(kind: SecretKind, credential: string, key: string): Promise<Principal | undefined> {
    const verified = await this.#secrets.get(key, this.#listener, () =>
      this.#reads.read(key, () => findPrincipal(this.#db, kind, { hash: Buffer.from(key, 'hex') })),
    )
    if (verified === undefined) return undefined
    this.#hashes.remember(credential, key)
    return this.#holder(verified)
  }

  #holder({ principal, expiresAt }: Verified): Principal | undefined {
    if (expiresAt !== null && expiresAt.getTime() <= this.#clock.now()) return undefined
    if (principal.kind === 'apiKey') this.recordUse(principal.id)
    return principal
  }

  /**
   * Called when a credential was changed. "*" means that something all credentials depend on was changed, such as a
   * plan.
   */
  forget(hash: string): void {
    this.#held.forgetAll()
    if (hash === '*') this.forgetAll()
    else this.#secrets.forget(hash)
  }

  forgetAll(): void {
    this.#hashes.forgetAll()
    this.#secrets.forgetAll()
    this.#held.forgetAll()
    this.#organizations.forgetAll()
  }

  /** Stores the time of last use of the keys that were used since the previous call. */
  async flush(): Promise<void> {
    const used = [...this.#usedKeys]
    this.#usedKeys.clear()
    if (used.length > 0) await recordUse(this.#db, used)
  }

  async #identifyBearer(token: string): Promise<Principal | undefined> {
    const claims = await this.#bearerTokens?.verify(token)
    // The verification tolerates clocks that differ, but what a token has open ends at its expiry, and so does the token.
    if (!claims || claims.expiresAt.getTime() <= this.#clock.now()) return undefined
    const organization = await this.#organizations.get(claims.orgId, this.#listener, () =>
      findOrganizationFacts(this.#db, claims.orgId),
    )
    const { subject: id, role, expiresAt } = claims
    return organization && { kind: 'user', id, role, expiresAt, organization }
  }

  /** Notes the use of a key, which `flush` stores. */
  recordUse(keyId: string): void {
    const now = performance.now()
    const recordedAt = this.#useRecordedAt.get(keyId)
    if (recordedAt !== undefined && now - recordedAt < recordUseEveryMs) return
    this.#useRecordedAt.set(keyId, now)
    this.#usedKeys.add(keyId)
  }
}
