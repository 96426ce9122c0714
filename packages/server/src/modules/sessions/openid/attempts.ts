import { EncryptJWT, errors, jwtDecrypt } from 'jose'
import { z } from 'zod'
import type { DerivedKeys, SecretKeys } from '../../../auth/secret-keys.ts'
import type { DatabaseClock } from '../../../db/clock.ts'

/** How long a person may take at the issuer. */
export const attemptSeconds = 600

const Attempt = z.object({
  /** Returned by the issuer, which shows that the answer belongs to this attempt. */
  state: z.string(),
  /** Contained in the ID token, which shows that the token was made for this attempt. */
  nonce: z.string(),
  /** The secret of PKCE, without which the code of the issuer is worthless. */
  verifier: z.string(),
  /** The page to show afterwards. */
  to: z.string(),
})
export type Attempt = z.infer<typeof Attempt>

/**
 * Encrypts what must be remembered while a person is at the issuer, for a cookie of the browser: the answer of the issuer is
 * thus accepted from this browser only, and by every process of the installation.
 */
export class Attempts {
  readonly #keys: DerivedKeys
  readonly #clock: Pick<DatabaseClock, 'now'>

  constructor(keys: SecretKeys, clock: Pick<DatabaseClock, 'now'>) {
    this.#keys = keys.derive('sandglass sign-in attempts')
    this.#clock = clock
  }

  seal(attempt: Attempt): Promise<string> {
    return new EncryptJWT({ ...attempt })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(Math.floor(this.#clock.now() / 1000) + attemptSeconds)
      .encrypt(this.#keys[0])
  }

  /** Returns undefined if the text is not of this installation, or too old. */
  async open(text: string): Promise<Attempt | undefined> {
    for (const key of this.#keys)
      try {
        const currentDate = new Date(this.#clock.now())
        const { payload } = await jwtDecrypt(text, key, { currentDate, requiredClaims: ['exp'] })
        return Attempt.parse(payload)
      } catch (error) {
        if (!(error instanceof errors.JOSEError || error instanceof TypeError || error instanceof z.ZodError))
          throw error
      }
    return undefined
  }
}
