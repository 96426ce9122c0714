import type { PictureProtocol } from './protocol.ts'

/** A picture as PNG. */
export interface Picture {
  readonly png: Uint8Array
  readonly width: number
}

/** Most terminals have characters of about this width, so a larger picture is scaled to the width of the terminal. */
const pixelsPerColumn = 8

const writers = { kitty, iterm, sixel }

/** The escape sequences that show a picture in a terminal of so many columns. */
export async function showPicture(
  picture: Picture,
  protocol: PictureProtocol,
  columns: number,
): Promise<string> {
  const width = Math.min(columns, Math.ceil(picture.width / pixelsPerColumn))
  return `${await writers[protocol](picture.png, width)}\n`
}

/** The data is sent in chunks of at most 4096 characters; all but the last announce another one. */
function kitty(png: Uint8Array, columns: number): string {
  const chunks =
    Buffer.from(png)
      .toString('base64')
      .match(/.{1,4096}/g) ?? []
  return chunks
    .map((chunk, index) => {
      const first = index === 0 ? `a=T,f=100,q=2,c=${columns},` : ''
      return `\x1b_G${first}m=${index < chunks.length - 1 ? 1 : 0};${chunk}\x1b\\`
    })
    .join('')
}

function iterm(png: Uint8Array, columns: number): string {
  const data = Buffer.from(png).toString('base64')
  return `\x1b]1337;File=inline=1;size=${png.length};width=${columns};preserveAspectRatio=1:${data}\x07`
}

/** Sixel has no scaling, so a terminal shows the part of the picture that fits. */
async function sixel(png: Uint8Array): Promise<string> {
  const [{ decode }, { image2sixel }] = await Promise.all([import('fast-png'), import('sixel')])
  const { data, width, height, channels } = decode(png)
  const pixels = new Uint8Array(width * height * 4)
  for (let from = 0, to = 0; to < pixels.length; from += channels, to += 4) {
    for (let colour = 0; colour < 3; colour++)
      pixels[to + colour] = data[from + (channels < 3 ? 0 : colour)] ?? 0
    pixels[to + 3] = 255
  }
  return image2sixel(pixels, width, height, 256)
}
