import { createPrivateKey, createPublicKey, type KeyObject, randomUUID } from 'node:crypto'
import { ApiError, LiveScope } from '@sandglass/protocol'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import type { DatabaseClock } from '../db/clock.ts'
import type { SecretKeys } from './secret-keys.ts'

/** The PKCS #8 header that precedes the 32 bytes of an Ed25519 private key (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

const audience = 'sandglass-room'

const scopes = z
  .string()
  .transform(text => text.split(' '))
  .pipe(z.array(LiveScope))

const Claims = z.object({
  room: z.string(),
  scope: scopes,
  /** The kind and the id of the credential that requested the token. */
  sub: z.string(),
  epoch: z.int(),
  person: z.string(),
  invitation: z.string().optional(),
  until: z.int().optional(),
  exp: z.int(),
})

/** The claims of a token for the live view of one sandbox. */
export interface LiveClaims {
  readonly room: string
  readonly scope: readonly LiveScope[]
  /** The credential that requested the token, as `kind:id`. */
  readonly holder: string
  /**
   * The token is valid only while the room is in this epoch. Increasing the room's epoch revokes all earlier tokens.
   */
  readonly epoch: number
  /** Identifies the person. It stays the same when the token is renewed. */
  readonly person: string
  /** The id of the invitation that the token was obtained with, if any. */
  readonly invitation?: string | undefined
  /**
   * A renewal cannot extend the token beyond this time. If it is not set, only the end of the sandbox limits
   * renewals.
   */
  readonly until?: Date | undefined
  readonly expiresAt: Date
}

/** Signs and verifies the short-lived tokens with which people connect to the live view of a sandbox. */
export class EndUserTokens {
  readonly #privateKey: KeyObject
  /** The newest comes first. */
  readonly #publicKeys: readonly KeyObject[]
  readonly #clock: DatabaseClock

  /** All processes have the same secret keys, so every process accepts the tokens of every other. */
  constructor(keys: SecretKeys, clock: DatabaseClock) {
    const [newest, ...older] = keys.derive('sandglass end-user tokens')
    this.#clock = clock
    this.#privateKey = privateKeyOf(newest)
    this.#publicKeys = [newest, ...older].map(seed => createPublicKey(privateKeyOf(seed)))
  }

  sign({ room, scope, holder, epoch, person, invitation, until, expiresAt }: LiveClaims): Promise<string> {
    const untilSeconds = until && Math.floor(until.getTime() / 1000)
    return new SignJWT({ room, scope: scope.join(' '), epoch, person, invitation, until: untilSeconds })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setAudience(audience)
      .setSubject(holder)
      .setJti(randomUUID())
      .setIssuedAt(Math.floor(this.#clock.now() / 1000))
      .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
      .sign(this.#privateKey)
  }

  /** Checks only the signature, the audience and the expiry. The caller checks the room, the epoch and the scope. */
  async read(token: string): Promise<LiveClaims> {
    try {
      const payload = await this.#verify(token)
      const { sub: holder, exp, until, ...claims } = Claims.parse(payload)
      const untilDate = until === undefined ? undefined : new Date(until * 1000)
      return { ...claims, holder, until: untilDate, expiresAt: new Date(exp * 1000) }
    } catch (cause) {
      if (cause instanceof errors.JWTExpired) throw new ApiError('live.TOKEN_EXPIRED', { cause })
      if (cause instanceof errors.JOSEError || cause instanceof z.ZodError || cause instanceof TypeError)
        throw new ApiError('live.TOKEN_INVALID', { cause })
      throw cause
    }
  }

  /** Tries the older keys only if the signature does not match the newest one. */
  async #verify(token: string): Promise<JWTPayload> {
    let failure: unknown
    for (const key of this.#publicKeys)
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['EdDSA'],
          audience,
          currentDate: new Date(this.#clock.now()),
          requiredClaims: ['exp', 'sub', 'iat', 'jti'],
        })
        return payload
      } catch (error) {
        failure = error
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) break
      }
    throw failure
  }
}

function privateKeyOf(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
}
