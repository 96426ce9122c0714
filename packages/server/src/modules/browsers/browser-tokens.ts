import { EncryptJWT, errors, jwtDecrypt } from 'jose'
import { z } from 'zod'
import type { HeldCredential } from '../../auth/held-credential.ts'
import type { DerivedKeys, SecretKeys } from '../../auth/secret-keys.ts'
import type { DatabaseClock } from '../../db/clock.ts'

/** The prefix of every token, by which people and secret scanners recognize it. */
const prefix = 'sgb_'

const Role = z.enum(['owner', 'admin', 'member', 'viewer'])
const Claims = z.object({
  sandbox: z.string(),
  epoch: z.int(),
  kind: z.enum(['apiKey', 'trialToken', 'session', 'user']),
  id: z.string(),
  secret: z.string().optional(),
  role: Role.optional(),
  exp: z.int(),
})

/** What a token allows: to drive the browser of one sandbox, as long as the credential is valid that it was given to. */
export interface BrowserClaims {
  readonly sandboxId: string
  /** Increasing the epoch of the sandbox revokes all earlier tokens. */
  readonly epoch: number
  readonly credential: HeldCredential
  /** In whole seconds. */
  readonly expiresAt: Date
}

/**
 * The tokens in the URLs of browsers. They are encrypted, because they travel in URLs and contain whose they are. Nothing of them is
 * stored, and every process of the installation can read them.
 */
export class BrowserTokens {
  readonly #keys: DerivedKeys
  readonly #clock: Pick<DatabaseClock, 'now'>

  constructor(keys: SecretKeys, clock: Pick<DatabaseClock, 'now'>) {
    this.#keys = keys.derive('sandglass browser tokens')
    this.#clock = clock
  }

  async seal({ sandboxId: sandbox, epoch, credential, expiresAt }: BrowserClaims): Promise<string> {
    const { kind, id, secret, role } = credential
    const sealed = await new EncryptJWT({ sandbox, epoch, kind, id, secret, role })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
      .encrypt(this.#keys[0])
    return prefix + sealed
  }

  /** Returns undefined if the token is not of this installation, or has expired. */
  async open(token: string): Promise<BrowserClaims | undefined> {
    if (!token.startsWith(prefix)) return undefined
    for (const key of this.#keys)
      try {
        const currentDate = new Date(this.#clock.now())
        const { payload } = await jwtDecrypt(token.slice(prefix.length), key, {
          currentDate,
          requiredClaims: ['exp'],
        })
        return claimsOf(Claims.parse(payload))
      } catch (error) {
        if (!(error instanceof errors.JOSEError || error instanceof TypeError || error instanceof z.ZodError))
          throw error
      }
    return undefined
  }
}

function claimsOf({ sandbox, epoch, exp, kind, id, secret, role }: z.infer<typeof Claims>): BrowserClaims {
  const expiresAt = new Date(exp * 1000)
  // A bearer token of the issuer has no row that says when it ends, and the browser's token does not outlive it.
  const credential = { kind, id, secret, role, expiresAt: kind === 'user' ? expiresAt : null }
  return { sandboxId: sandbox, epoch, credential, expiresAt }
}
