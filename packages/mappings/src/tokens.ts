import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/** The prefix of every access token, by which people and secret scanners recognize it. */
const prefix = 'sgm_'
const maxDerived = 10_000

/** Access tokens of mappings. They are derived from the mapping's id with a key of the service and stored nowhere. */
export class MappingTokens {
  readonly #key: KeyObject
  /** A cache, since every request through a mapping needs its token. */
  readonly #derived = new Map<string, string>()

  constructor(key: KeyObject) {
    this.#key = key
  }

  of(id: string): string {
    const known = this.#derived.get(id)
    if (known !== undefined) return known
    const token = prefix + createHmac('sha256', this.#key).update(`mapping ${id}`).digest('base64url')
    if (this.#derived.size >= maxDerived) this.#derived.clear()
    this.#derived.set(id, token)
    return token
  }
}

/** Compares in constant time, so that timing reveals nothing. The length is not secret. */
export function isEqualConstantTime(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
