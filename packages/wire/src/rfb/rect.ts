/** A rectangle in pixels. */
export interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A changed region; `from` is set if it was copied from there. */
export interface Damage extends Rect {
  readonly from?: { readonly x: number; readonly y: number }
}

export const formatRect = ({ x, y, width, height }: Rect) => `${width}x${height} at ${x},${y}`

/** The smallest rectangle that contains both. */
export function union(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)]
  const [right, bottom] = [Math.max(a.x + a.width, b.x + b.width), Math.max(a.y + a.height, b.y + b.height)]
  return { x, y, width: right - x, height: bottom - y }
}
