import type { Rect } from '../../../contract/rect.ts'
import type { ScreenSize } from '../../../contract/spec.ts'
import type { Capture } from '../../../screens/adb/screencap.ts'

type Colour = readonly [red: number, green: number, blue: number]

/** A picture with gradients, which video does not preserve exactly, and a block of one colour. */
export function picture({ width, height }: ScreenSize, block: Rect, colour: Colour): Capture {
  const pixels = new Uint8Array(4 * width * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const isBlock = x >= block.x && y >= block.y && x < block.x + block.width && y < block.y + block.height
      const shade = [(255 * x) / width, (255 * y) / height, 128 + 30 * Math.sin(x / 9)]
      pixels.set([...(isBlock ? colour : shade), 0], 4 * (y * width + x))
    }
  return { width, height, pixels }
}

/** Whether two pictures look the same: they have the same size, and colours differ only slightly, except at edges. */
export function looksLike(a: Capture | undefined, b: Capture): boolean {
  if (a?.width !== b.width || a.height !== b.height) return false
  let [sum, other] = [0, 0]
  for (let at = 0; at < b.pixels.length; at++) {
    if (at % 4 === 3) continue
    const difference = Math.abs((a.pixels[at] ?? 0) - (b.pixels[at] ?? 0))
    sum += difference
    if (difference > 48) other++
  }
  return sum < 4 * b.pixels.length && other < b.pixels.length / 200
}

/** Whether all pixels are the same. The fourth byte is ignored. */
export function isSame(a: Capture | undefined, b: Capture): boolean {
  if (a?.width !== b.width || a.height !== b.height) return false
  return b.pixels.every((value, at) => at % 4 === 3 || a.pixels[at] === value)
}
