import type { Rect } from '../contract/rect.ts'

/** More than this many are of no use to anybody who reads them. */
const maxRects = 32

/** What changed since somebody last looked, as a few rectangles. */
export class DamageLog {
  #rects: Rect[] = []

  add(rects: readonly Rect[]): void {
    for (const rect of rects) this.#add(rect)
    while (this.#rects.length > maxRects) this.#mergeNearest()
  }

  take(): readonly Rect[] {
    const rects = this.#rects
    this.#rects = []
    return rects
  }

  /** Joins it with those that it overlaps so far that one rectangle for both adds little. */
  #add(rect: Rect): void {
    const near = this.#rects.findIndex(other => area(union(rect, other)) <= 1.25 * (area(rect) + area(other)))
    if (near === -1) this.#rects.push({ x: rect.x, y: rect.y, width: rect.width, height: rect.height })
    else this.#rects[near] = union(rect, this.#rects[near] ?? rect)
  }

  /** Joins the newest with the one that this costs least. */
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
