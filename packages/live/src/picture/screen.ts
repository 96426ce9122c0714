import { type Area, contains, overlap, PixelCanvas, type TileOp } from '@sandglass/wire/frames'
import { joined, sourceOf } from './areas.ts'

/** The picture on the page. Drawing takes effect immediately; the browser shows it with its next frame. */
export class Screen {
  readonly #element: HTMLCanvasElement
  readonly #context: CanvasRenderingContext2D
  readonly #onSize: () => void
  #pixels = new PixelCanvas(0, 0)
  #image: ImageData | undefined
  /** Areas where the canvas shows an image or video frame that `#pixels` does not contain. */
  #drawnOver: Area[] = []

  constructor(element: HTMLCanvasElement, onSize: () => void) {
    const context = element.getContext('2d', { alpha: false })
    if (!context) throw new Error('This browser has no 2D canvas.')
    this.#element = element
    this.#context = context
    this.#onSize = onSize
  }

  get width(): number {
    return this.#pixels.width
  }

  get height(): number {
    return this.#pixels.height
  }

  drawTiles(width: number, height: number, tiles: readonly TileOp[]): void {
    if (width !== this.width || height !== this.height) this.#begin(width, height)
    const areas: Area[] = []
    for (const tile of tiles) {
      if (tile.op === 'copy' && this.#drawnOver.some(area => overlap(area, sourceOf(tile)))) {
        this.#show(areas.splice(0))
        this.#readBack()
      }
      this.#pixels.draw(tile)
      areas.push(tile.area)
    }
    this.#show(areas)
  }

  /** Draws an image or video frame; what exceeds the area is cut off. */
  drawImage(source: ImageBitmap | VideoFrame, { x, y, width, height }: Area): void {
    this.#context.drawImage(source, 0, 0, width, height, x, y, width, height)
    this.#drawnOver = [
      ...this.#drawnOver.filter(area => !contains({ x, y, width, height }, area)),
      { x, y, width, height },
    ]
  }

  #begin(width: number, height: number): void {
    this.#pixels = new PixelCanvas(width, height)
    this.#image = width > 0 && height > 0 ? new ImageData(this.#pixels.rgba, width) : undefined
    this.#drawnOver = []
    this.#element.width = width
    this.#element.height = height
    this.#onSize()
  }

  #show(areas: readonly Area[]): void {
    const image = this.#image
    if (!image) return
    // Joined areas could overwrite what was drawn between them.
    for (const area of this.#drawnOver.length > 0 ? areas : joined(areas)) {
      this.#context.putImageData(image, 0, 0, area.x, area.y, area.width, area.height)
      if (this.#drawnOver.length > 0) this.#drawnOver = this.#drawnOver.filter(one => !contains(area, one))
    }
  }

  #readBack(): void {
    for (const { x, y, width, height } of this.#drawnOver.splice(0)) {
      const { data } = this.#context.getImageData(x, y, width, height)
      for (let row = 0; row < height; row++)
        this.#pixels.rgba.set(
          data.subarray(4 * row * width, 4 * (row + 1) * width),
          4 * ((y + row) * this.width + x),
        )
    }
  }
}
