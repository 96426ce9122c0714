import { randomBytes } from 'node:crypto'

/**
 * The id in the URL of a picture: its expiry, the node that took it, and 128 random bits that cannot be guessed. The
 * id contains the first two so that no table of them is needed. Changing them results in a different id, which does
 * not exist.
 */
export interface PictureId {
  /** Ids sort by expiry. */
  readonly text: string
  readonly expiresAt: number
  /** The tag of the node that took the picture. */
  readonly node: string
}

/** Eight digits of base 36 can hold the milliseconds until the year 2059. */
const pattern = /^([0-9a-z]{8})-([0-9a-f]{12})-[\w-]{22}$/

export function newPictureId(expiresAt: number, node: string): PictureId {
  const time = expiresAt.toString(36).padStart(8, '0')
  return { text: `${time}-${node}-${randomBytes(16).toString('base64url')}`, expiresAt, node }
}

export function parsePictureId(text: string): PictureId | undefined {
  const [, time, node] = pattern.exec(text) ?? []
  return time && node ? { text, expiresAt: Number.parseInt(time, 36), node } : undefined
}
