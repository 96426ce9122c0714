import { createPrivateKey, createPublicKey, type KeyObject, randomUUID } from 'node:crypto'
import { ApiError, LiveScope } from '@sandglass/protocol'
import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import type { DatabaseClock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { derivedKey } from './derived-key.ts'

/** What stands before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

const audience = 'sandglass-room'

const scopes = z
  .string()
  .transform(text => text.split(' '))
  .pipe(z.array(LiveScope))

const Claims = z.object({
  room: z.string(),
  scope: scopes,
  /** The credential that got it: its kind and its id. */
  sub: z.string(),
  epoch: z.int(),
  person: z.string(),
  invitation: z.string().optional(),
  until: z.int().optional(),
  exp: z.int(),
})

/** What a token for the live view of one sandbox says. */
export interface LiveClaims {
  readonly room: string
  readonly scope: readonly LiveScope[]
  /** Who got it, as `kind:id`. */
  readonly holder: string
  /** The epoch of the room's tokens; the next one ends it. */
  readonly epoch: number
  /** Stays when the token is renewed. */
  readonly person: string
  /** By which it was got, where it was by one. */
  readonly invitation?: string | undefined
  /** The end that no renewal goes beyond, where there is one besides the sandbox's own. */
  readonly until?: Date | undefined
  readonly expiresAt: Date
}

/** Signs and reads the short tokens by which people connect to the live view of a sandbox. */
export class EndUserTokens {
  readonly #privateKey: KeyObject
  readonly #publicKey: KeyObject
  readonly #clock: DatabaseClock

  private constructor(key: KeyObject, clock: DatabaseClock) {
    this.#clock = clock
    this.#privateKey = key
    this.#publicKey = createPublicKey(key)
  }

  /** Every process on a database has the same key. */
  static async open(db: Database, clock: DatabaseClock): Promise<EndUserTokens> {
    const seed = await derivedKey(db, 'sandglass end-user tokens')
    return new EndUserTokens(
      createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' }),
      clock,
    )
  }

  sign({ room, scope, holder, epoch, person, invitation, until, expiresAt }: LiveClaims): Promise<string> {
    const last = until && Math.floor(until.getTime() / 1000)
    return new SignJWT({ room, scope: scope.join(' '), epoch, person, invitation, until: last })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setAudience(audience)
      .setSubject(holder)
      .setJti(randomUUID())
      .setIssuedAt(Math.floor(this.#clock.now() / 1000))
      .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
      .sign(this.#privateKey)
  }

  /** Whether it is one of ours and its time is not over; what else it needs is for the reader to check. */
  async read(token: string): Promise<LiveClaims> {
    try {
      const { payload } = await jwtVerify(token, this.#publicKey, {
        algorithms: ['EdDSA'],
        audience,
        currentDate: new Date(this.#clock.now()),
        requiredClaims: ['exp', 'sub', 'iat', 'jti'],
      })
      const { sub: holder, exp, until, ...claims } = Claims.parse(payload)
      const last = until === undefined ? undefined : new Date(until * 1000)
      return { ...claims, holder, until: last, expiresAt: new Date(exp * 1000) }
    } catch (cause) {
      if (cause instanceof errors.JWTExpired) throw new ApiError('live.TOKEN_EXPIRED', { cause })
      if (cause instanceof errors.JOSEError || cause instanceof z.ZodError || cause instanceof TypeError)
        throw new ApiError('live.TOKEN_INVALID', { cause })
      throw cause
    }
  }
}
