/** The mean time for which a change counts. */
const memoryMs = 700

/** An exponentially decaying count of changes per cell. At a steady rate it approaches that rate times the memory. */
export class ChangeRates {
  readonly #changeRates: Float64Array
  readonly #atMs: Float64Array

  constructor(cellCount: number) {
    this.#changeRates = new Float64Array(cellCount)
    this.#atMs = new Float64Array(cellCount)
  }

  add(cell: number, times: number, nowMs: number): void {
    this.#changeRates[cell] = this.#of(cell, nowMs) + times
    this.#atMs[cell] = nowMs
  }

  atLeast(heat: number, nowMs: number): number[] {
    const cells: number[] = []
    for (let cell = 0; cell < this.#changeRates.length; cell++)
      if (this.#of(cell, nowMs) >= heat) cells.push(cell)
    return cells
  }

  #of(cell: number, nowMs: number): number {
    return (this.#changeRates[cell] ?? 0) * Math.exp(((this.#atMs[cell] ?? 0) - nowMs) / memoryMs)
  }
}
