import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/** The prefix of every access token, by which people and secret scanners recognize it. */
const prefix = 'sgm_'
const pattern = /^sgm_([\w-]{1,400})\.([\w-]{43})$/
const maxDerived = 10_000

/** One for each key, the newest first. */
type Proofs = readonly [string, ...string[]]

/**
 * Access tokens of mappings. Every credential gets its own token for a mapping, which ends with the credential. A token
 * contains its holder and a proof that is derived with a key of the service, so tokens are stored nowhere.
 */
export class MappingTokens {
  /** The newest comes first. Tokens of the older ones are accepted until their keys are removed. */
  readonly #keys: readonly [KeyObject, ...KeyObject[]]
  /** A cache of proofs, one for each key, since every request through a mapping needs one. */
  readonly #derived = new Map<string, Proofs>()

  constructor(newest: KeyObject, ...older: readonly KeyObject[]) {
    this.#keys = [newest, ...older]
  }

  /** Whether a text has the form of a token, whether it is valid or not. */
  static looksLikeOne(text: string): boolean {
    return text.startsWith(prefix)
  }

  /** Returns the token of a mapping for a credential, which is identified by a text. */
  of(mapping: string, holder: string): string {
    const name = nameOf(mapping, holder)
    const [newest] = this.#derived.get(name) ?? this.#remember(name, this.#derive(name))
    return `${prefix}${Buffer.from(holder).toString('base64url')}.${newest}`
  }

  /** Returns the holder of a token, or undefined if it is not a token of this mapping. */
  holderOf(mapping: string, token: string): string | undefined {
    const [, encoded, proof] = pattern.exec(token) ?? []
    if (encoded === undefined || proof === undefined) return undefined
    const holder = Buffer.from(encoded, 'base64url').toString()
    const name = nameOf(mapping, holder)
    const proofs = this.#derived.get(name) ?? this.#derive(name)
    if (!proofs.some(expected => isEqualConstantTime(proof, expected))) return undefined
    this.#remember(name, proofs)
    return holder
  }

  #derive(name: string): Proofs {
    const proofBy = (key: KeyObject) => createHmac('sha256', key).update(name).digest('base64url')
    const [newest, ...older] = this.#keys
    return [proofBy(newest), ...older.map(proofBy)]
  }

  /** Only proofs of real tokens are remembered, so that guesses cannot evict them. */
  #remember(name: string, proofs: Proofs): Proofs {
    if (this.#derived.size >= maxDerived) this.#derived.clear()
    this.#derived.set(name, proofs)
    return proofs
  }
}

/** The id of a mapping has no spaces, so different pairs have different names. */
function nameOf(mapping: string, holder: string): string {
  return `mapping ${mapping} for ${holder}`
}

/** Compares in constant time, so that timing reveals nothing. The length is not secret. */
function isEqualConstantTime(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
