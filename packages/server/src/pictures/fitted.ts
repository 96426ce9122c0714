import type { ScreenSize } from '@sandglass/machines/contract'

/** The size of a picture of the screen whose longest side is bounded; one that fits already is as it is. */
export function fitted({ width, height }: ScreenSize, longestSide: number | undefined): ScreenSize {
  const longest = Math.max(width, height)
  if (longestSide === undefined || longest <= longestSide) return { width, height }
  const side = (pixels: number) => Math.max(1, Math.round((pixels * longestSide) / longest))
  return { width: side(width), height: side(height) }
}
