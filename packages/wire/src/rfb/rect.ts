export interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** What of the picture became another. It is a copy of what was at `from` just before, where that is told. */
export interface Damage extends Rect {
  readonly from?: { readonly x: number; readonly y: number }
}

export const showRect = ({ x, y, width, height }: Rect) => `${width}x${height} at ${x},${y}`
