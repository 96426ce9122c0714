/** The formats that a picture can be encoded in. The key is also the extension of its URL. */
export const mediaTypes = { webp: 'image/webp', png: 'image/png', jpeg: 'image/jpeg' } as const

export type PictureFormat = keyof typeof mediaTypes

export const pictureFormats = Object.keys(mediaTypes) as readonly PictureFormat[]

export function isPictureFormat(text: string): text is PictureFormat {
  return Object.hasOwn(mediaTypes, text)
}
