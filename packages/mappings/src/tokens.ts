import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/** The prefix of every access token, by which people and secret scanners recognize it. */
const prefix = 'sgm_'
const maxDerived = 10_000

/** The tokens that a mapping accepts. The first is the current one. */
export type AcceptedTokens = readonly [string, ...string[]]

/** Access tokens of mappings. They are derived from the mapping's id with a key of the service and stored nowhere. */
export class MappingTokens {
  /** The newest comes first. Tokens of the older ones are accepted until their keys are removed. */
  readonly #keys: readonly [KeyObject, ...KeyObject[]]
  /** A cache, since every request through a mapping needs its token. */
  readonly #derived = new Map<string, AcceptedTokens>()

  constructor(newest: KeyObject, ...older: readonly KeyObject[]) {
    this.#keys = [newest, ...older]
  }

  of(id: string): string {
    return this.accepted(id)[0]
  }

  accepted(id: string): AcceptedTokens {
    const known = this.#derived.get(id)
    if (known !== undefined) return known
    const tokenOf = (key: KeyObject) =>
      prefix + createHmac('sha256', key).update(`mapping ${id}`).digest('base64url')
    const [newest, ...older] = this.#keys
    const tokens: AcceptedTokens = [tokenOf(newest), ...older.map(tokenOf)]
    if (this.#derived.size >= maxDerived) this.#derived.clear()
    this.#derived.set(id, tokens)
    return tokens
  }
}

/** Compares in constant time, so that timing reveals nothing. The length is not secret. */
export function isEqualConstantTime(given: string, expected: AcceptedTokens): boolean {
  const a = Buffer.from(given)
  return expected.some(token => {
    const b = Buffer.from(token)
    return a.length === b.length && timingSafeEqual(a, b)
  })
}
