import { isPictureFormat, type PictureFormat } from '@sandglass/workers/contract'

/**
 * The name of a stored picture: the same pixels in the same format have the same name. The name of a converted
 * picture contains the original format too, because its pixels are those of the original, which may be lossy.
 */
export interface PictureName {
  /** The hash of the size and the captured pixels. */
  readonly hash: string
  /** The format in which the picture was taken. */
  readonly format: PictureFormat
  /** The format that it was converted to, if any. */
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
