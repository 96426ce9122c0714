import { randomBytes } from 'node:crypto'

/**
 * What a picture's URL names it by: when it expires, which node took it, and 128 random bits that nobody guesses. The
 * first two are there so that no table has to be kept of them; changing them makes another id, which names nothing.
 */
export interface PictureId {
  /** Sorts by expiry. */
  readonly text: string
  readonly expiresAt: number
  /** The tag of the node that took it. */
  readonly node: string
}

/** Eight digits of base 36 hold the milliseconds until the year 2059. */
const pattern = /^([0-9a-z]{8})-([0-9a-f]{12})-[\w-]{22}$/

export function newPictureId(expiresAt: number, node: string): PictureId {
  const time = expiresAt.toString(36).padStart(8, '0')
  return { text: `${time}-${node}-${randomBytes(16).toString('base64url')}`, expiresAt, node }
}

export function parsePictureId(text: string): PictureId | undefined {
  const [, time, node] = pattern.exec(text) ?? []
  return time && node ? { text, expiresAt: Number.parseInt(time, 36), node } : undefined
}
