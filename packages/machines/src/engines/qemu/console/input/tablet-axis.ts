/** The number of positions that a tablet distinguishes on each axis. */
const positions = 0x8000

/**
 * The position on a tablet for a pixel. It is that of the middle of the pixel: guests scale it back with slightly different
 * formulas, and all of them find the same pixel for the middle.
 */
export function tabletPosition(pixel: number, size: number): number {
  const inside = Math.min(Math.max(Math.round(pixel), 0), Math.max(size - 1, 0))
  return Math.min(Math.floor(((inside + 0.5) * positions) / Math.max(size, 1)), positions - 1)
}

/** The pixel for a position on a tablet. */
export function pixelAt(position: number, size: number): number {
  return Math.floor((position * size) / positions)
}
