import { isPictureFormat, type PictureFormat } from './format.ts'

/**
 * The name of a stored picture: the same pixels in the same format have the same name. One that was made from
 * another stored one names that format too, since its pixels are those of the other, which may have lost some.
 */
export interface PictureName {
  /** Of the size and the pixels that were captured. */
  readonly hash: string
  /** As it was taken. */
  readonly format: PictureFormat
  /** What it was made into afterwards. */
  readonly remade?: PictureFormat
}

export function nameText({ hash, format, remade }: PictureName): string {
  return remade ? `${hash}.${format}.${remade}` : `${hash}.${format}`
}

export function parseName(text: string): PictureName | undefined {
  const [hash = '', format = '', remade, ...rest] = text.split('.')
  if (!/^[0-9a-f]{64}$/.test(hash) || !isPictureFormat(format) || rest.length > 0) return undefined
  if (remade === undefined) return { hash, format }
  return isPictureFormat(remade) ? { hash, format, remade } : undefined
}
