import type { Area } from './tiles.ts'

/** The number of pixels in an area. */
export function pixelsOf({ width, height }: Area): number {
  return width * height
}

/** The smallest area that contains both. */
export function union(a: Area, b: Area): Area {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)]
  const right = Math.max(a.x + a.width, b.x + b.width)
  const bottom = Math.max(a.y + a.height, b.y + b.height)
  return { x, y, width: right - x, height: bottom - y }
}

/** The intersection of two areas; undefined if they only touch. */
export function overlap(a: Area, b: Area): Area | undefined {
  const [x, y] = [Math.max(a.x, b.x), Math.max(a.y, b.y)]
  const width = Math.min(a.x + a.width, b.x + b.width) - x
  const height = Math.min(a.y + a.height, b.y + b.height) - y
  return width > 0 && height > 0 ? { x, y, width, height } : undefined
}

/** Whether `inner` lies entirely within `outer`. */
export function contains(outer: Area, inner: Area): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  )
}
