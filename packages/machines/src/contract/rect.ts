/** A pixel of the screen; 0, 0 is at the top left. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** An area of the screen by its top left corner and its size. */
export interface Rect extends Point {
  readonly width: number
  readonly height: number
}

/** Whether a point is inside a rectangle. Its right and bottom edges are outside. */
export function contains({ x, y, width, height }: Rect, at: Point): boolean {
  return at.x >= x && at.y >= y && at.x < x + width && at.y < y + height
}

/** The intersection of two rectangles; its width or height is 0 if they do not overlap. */
export function overlap(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.max(a.x, b.x), Math.max(a.y, b.y)]
  return {
    x,
    y,
    width: Math.max(0, Math.min(a.x + a.width, b.x + b.width) - x),
    height: Math.max(0, Math.min(a.y + a.height, b.y + b.height) - y),
  }
}
