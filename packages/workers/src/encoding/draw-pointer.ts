import type { Frame } from '@sandglass/machines/contract'

/** Draws the pointer into the pixels of a frame. The part beyond the edges is clipped. */
export function drawPointer({ width, height, pixels, pointer }: Frame): void {
  const { image } = pointer
  if (!image) return
  const left = Math.round(pointer.x) - image.hotspot.x
  const top = Math.round(pointer.y) - image.hotspot.y
  const endX = Math.min(image.width, width - left)
  const endY = Math.min(image.height, height - top)
  for (let y = Math.max(0, -top); y < endY; y++)
    for (let x = Math.max(0, -left); x < endX; x++)
      blend(pixels, ((top + y) * width + left + x) * 4, image.rgba, (y * image.width + x) * 4)
}

/** Blends one pixel over another. The alpha is not premultiplied. */
function blend(under: Uint8Array, at: number, over: Uint8Array, from: number): void {
  const alpha = over[from + 3] ?? 0
  for (let band = 0; band < 3; band++) {
    const below = under[at + band] ?? 0
    under[at + band] = Math.round(below + (((over[from + band] ?? 0) - below) * alpha) / 255)
  }
}
