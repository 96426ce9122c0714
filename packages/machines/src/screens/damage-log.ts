import type { Rect } from '../contract/rect.ts'

/** A longer list would be of no use to its readers. */
const maxRects = 32

/** The region that changed since the last look, as a few rectangles. */
export class DamageLog {
  #rects: Rect[] = []

  add(rects: readonly Rect[]): void {
    for (const rect of rects) {
      this.#add(rect)
      // At once, so that the time per rectangle does not grow with their number.
      if (this.#rects.length > maxRects) this.#mergeNearest()
    }
  }

  take(): readonly Rect[] {
    const rects = this.#rects
    this.#rects = []
    return rects
  }

  /** Merges the rectangle with one that it mostly overlaps, so that their union adds little area. */
  #add(rect: Rect): void {
    const near = this.#rects.findIndex(other => area(union(rect, other)) <= 1.25 * (area(rect) + area(other)))
    if (near === -1) this.#rects.push({ x: rect.x, y: rect.y, width: rect.width, height: rect.height })
    else this.#rects[near] = union(rect, this.#rects[near] ?? rect)
  }

  /** Merges the newest rectangle with the one whose area grows least. */
  #mergeNearest(): void {
    const newest = this.#rects.pop()
    if (!newest) return
    const costs = this.#rects.map(other => area(union(newest, other)) - area(other))
    const best = costs.indexOf(Math.min(...costs))
    this.#rects[best] = union(newest, this.#rects[best] ?? newest)
  }
}

function area({ width, height }: Rect): number {
  return width * height
}

function union(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)]
  const right = Math.max(a.x + a.width, b.x + b.width)
  const bottom = Math.max(a.y + a.height, b.y + b.height)
  return { x, y, width: right - x, height: bottom - y }
}
