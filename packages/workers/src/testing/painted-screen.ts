import type { Frame, Look, Rect, Screen } from '@sandglass/machines/contract'

/** A screen that tests paint on. As a real one, it copies only what changed into the memory of the previous look. */
export class PaintedScreen implements Pick<Screen, 'look'> {
  readonly pixels: Uint8Array
  readonly width: number
  readonly height: number
  pointer: Frame['pointer'] = { x: 0, y: 0 }
  #changed: Rect[]
  #last: Uint8Array | undefined

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.pixels = new Uint8Array(width * height * 4)
    this.#changed = [{ x: 0, y: 0, width, height }]
  }

  fill(rect: Rect, colourAt: (x: number, y: number) => number): void {
    for (let y = rect.y; y < Math.min(this.height, rect.y + rect.height); y++)
      for (let x = rect.x; x < Math.min(this.width, rect.x + rect.width); x++) {
        const colour = colourAt(x, y)
        this.pixels.set([colour >> 16, colour >> 8, colour], (y * this.width + x) * 4)
      }
    this.#changed.push(rect)
  }

  async look(memory?: Uint8Array<ArrayBuffer>): Promise<Look> {
    const { width, height, pointer } = this
    const pixels = memory && memory === this.#last ? memory : new Uint8Array(this.pixels)
    const changed = this.#changed
    for (const rect of changed)
      for (let y = rect.y; y < Math.min(height, rect.y + rect.height); y++) {
        const start = (y * width + rect.x) * 4
        const end = (y * width + Math.min(width, rect.x + rect.width)) * 4
        pixels.set(this.pixels.subarray(start, end), start)
      }
    this.#changed = []
    this.#last = pixels
    return { frame: { width, height, pixels, pointer }, changed }
  }

  /** The colours that are shown, three bytes each, without the pointer. */
  get colours(): Buffer {
    return Buffer.from(this.pixels.filter((_, at) => at % 4 !== 3))
  }
}
