import type { ScreenSize } from '@sandglass/machines/contract'

/**
 * Returns the size of a picture that is scaled down until its longest side fits. A picture that already fits keeps
 * its size.
 */
export function fitted({ width, height }: ScreenSize, longestSide: number | undefined): ScreenSize {
  const longest = Math.max(width, height)
  if (longestSide === undefined || longest <= longestSide) return { width, height }
  const side = (pixels: number) => Math.max(1, Math.round((pixels * longestSide) / longest))
  return { width: side(width), height: side(height) }
}
