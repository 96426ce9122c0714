import { type Area, union } from '@sandglass/wire/frames'

/** Small enough that a change in one costs little, large enough that its head and its palette cost nothing. */
const side = 64

/** The screen as squares, numbered row by row; those at the right and at the bottom may be smaller. */
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

  /** The cells that an area reaches into. */
  *under({ x, y, width, height }: Area): Generator<number> {
    if (width === 0 || height === 0) return
    const [right, bottom] = [Math.min(x + width, this.width) - 1, Math.min(y + height, this.height) - 1]
    for (let row = Math.floor(y / side); row <= Math.floor(bottom / side); row++)
      for (let column = Math.floor(x / side); column <= Math.floor(right / side); column++)
        yield row * this.#columns + column
  }

  /** The smallest area of whole cells that holds all of these; at least one is given. */
  boundsOf(cells: readonly number[]): Area {
    return cells.map(cell => this.areaOf(cell)).reduce(union)
  }

  /** Whole cells as few areas: runs of a row, joined with those above that are as wide. */
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
