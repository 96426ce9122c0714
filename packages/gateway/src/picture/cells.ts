import { type Area, union } from '@sandglass/wire/frames'

/**
 * Small enough that a change in one cell costs little, and large enough that the tile header and palette are
 * negligible.
 */
const side = 64

/** Divides the screen into squares, numbered row by row. Those at the right and bottom edges may be smaller. */
export class Cells {
  readonly width: number
  readonly height: number
  readonly count: number
  readonly #columns: number

  constructor({ width, height }: { readonly width: number; readonly height: number }) {
    this.width = width
    this.height = height
    this.#columns = Math.ceil(width / side)
    this.count = this.#columns * Math.ceil(height / side)
  }

  all(): number[] {
    return Array.from({ length: this.count }, (_, cell) => cell)
  }

  areaOf(cell: number): Area {
    const [x, y] = [(cell % this.#columns) * side, Math.floor(cell / this.#columns) * side]
    return { x, y, width: Math.min(side, this.width - x), height: Math.min(side, this.height - y) }
  }

  /** The cells that an area overlaps. */
  *under({ x, y, width, height }: Area): Generator<number> {
    if (width === 0 || height === 0) return
    const [right, bottom] = [Math.min(x + width, this.width) - 1, Math.min(y + height, this.height) - 1]
    for (let row = Math.floor(y / side); row <= Math.floor(bottom / side); row++)
      for (let column = Math.floor(x / side); column <= Math.floor(right / side); column++)
        yield row * this.#columns + column
  }

  /** The smallest area of whole cells that contains all of these; `cells` must not be empty. */
  boundsOf(cells: readonly number[]): Area {
    return cells.map(cell => this.areaOf(cell)).reduce(union)
  }

  /** Merges cells into few areas: horizontal runs, joined with runs above of the same width. */
  areasOf(cells: Iterable<number>): Area[] {
    const [done, open]: [Area[], Map<string, Area>] = [[], new Map()]
    for (const run of this.#runsOf(cells)) {
      const key = `${run.x},${run.width}`
      const above = open.get(key)
      if (above && above.y + above.height === run.y) open.set(key, union(above, run))
      else {
        if (above) done.push(above)
        open.set(key, run)
      }
    }
    return [...done, ...open.values()]
  }

  #runsOf(cells: Iterable<number>): Area[] {
    const runs: Area[] = []
    for (const cell of [...cells].sort((a, b) => a - b)) {
      const area = this.areaOf(cell)
      const last = runs.at(-1)
      if (last && last.y === area.y && last.x + last.width === area.x)
        runs[runs.length - 1] = union(last, area)
      else runs.push(area)
    }
    return runs
  }
}
