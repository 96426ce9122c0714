export interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export const showRect = ({ x, y, width, height }: Rect) => `${width}x${height} at ${x},${y}`
