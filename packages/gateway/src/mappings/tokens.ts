import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/** The first letters of every access token, so that people and secret scanners know it. */
const prefix = 'sgm_'
const maxDerived = 10_000

/** Access tokens of mappings: derived from the mapping's id by a key of the service, and stored nowhere. */
export class MappingTokens {
  readonly #key: KeyObject
  /** Those of late: every request through a mapping asks for its token. */
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

/** Takes the same time wherever the two differ. Their length is no secret. */
export function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
