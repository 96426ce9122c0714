import { createHash, timingSafeEqual } from 'node:crypto'

/** A URL to a file that carries a signature instead of a token. */
export interface SignedFile {
  readonly path: string
  readonly operation: 'read' | 'write'
  readonly user: string
  readonly signature: string
  /** When it ends, in seconds since 1970; never if it is undefined. */
  readonly expiration?: number | undefined
}

/** Whether a signature was made with this access token. */
export function isSignedWith(
  token: string,
  { path, operation, user, signature, expiration }: SignedFile,
): boolean {
  const end = expiration === undefined ? '' : `:${expiration}`
  const hash = createHash('sha256').update(`${path}:${operation}:${user}:${token}${end}`).digest('base64')
  const [given, expected] = [Buffer.from(signature), Buffer.from(`v1_${hash.replace(/=+$/, '')}`)]
  return given.length === expected.length && timingSafeEqual(given, expected)
}
