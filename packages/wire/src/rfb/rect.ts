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
