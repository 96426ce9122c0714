import type {
  CursorImage,
  Damage,
  Frame,
  Look,
  Point,
  Rect,
  Sample,
  Screen,
  Watcher,
} from '@sandglass/machines/contract'

/** A screen that a test draws on. */
export class FakeScreen implements Screen {
  readonly #watchers = new Set<Watcher>()
  #frame: Frame

  constructor(width: number, height: number) {
    this.#frame = blank(width, height)
  }

  get watcherCount(): number {
    return this.#watchers.size
  }

  get words(): Uint32Array {
    return new Uint32Array(this.#frame.pixels.buffer)
  }

  async size(): Promise<Frame> {
    return this.#frame
  }

  async look(): Promise<Look> {
    return { frame: { ...this.#frame, pixels: this.#frame.pixels.slice() }, changed: [] }
  }

  async sample(): Promise<Sample> {
    return { version: 1, frame: (await this.look()).frame }
  }

  async settled(): Promise<boolean> {
    return true
  }

  async watch(watcher: Watcher): Promise<() => void> {
    this.#watchers.add(watcher)
    watcher([this.#whole()], this.#frame)
    return () => void this.#watchers.delete(watcher)
  }

  input(): never {
    throw new Error('a fake screen takes no input')
  }

  /**
   * Draws an area with a function that returns the colour of each pixel: red in the lowest byte, then green and blue.
   */
  draw(area: Rect, colourAt: (x: number, y: number) => number): void {
    const { words } = this
    for (let y = area.y; y < area.y + area.height; y++)
      for (let x = area.x; x < area.x + area.width; x++) words[y * this.#frame.width + x] = colourAt(x, y)
    this.tell(area)
  }

  fill(area: Rect, colour: number): void {
    this.draw(area, () => colour)
  }

  /** Scrolls an area down, or up if negative, and makes up what comes in. */
  scroll(area: Rect, by: number): void {
    const before = this.words.slice()
    const { width } = this.#frame
    this.draw(area, (x, y) => {
      const from = y - by
      const isWithin = from >= area.y && from < area.y + area.height
      return isWithin ? (before[from * width + x] ?? 0) : (x * 3 + y * 77) & 0xff
    })
  }

  /** Copies from another place and reports it as a copy. */
  copy(area: Rect, from: Point): void {
    const { words } = this
    const before = words.slice()
    const { width } = this.#frame
    for (let y = 0; y < area.height; y++) {
      const start = (from.y + y) * width + from.x
      words.set(before.subarray(start, start + area.width), (area.y + y) * width + area.x)
    }
    this.tell({ ...area, from })
  }

  tell(...areas: Damage[]): void {
    for (const watcher of this.#watchers) watcher(areas, this.#frame)
  }

  resize(width: number, height: number): void {
    this.#frame = { ...blank(width, height), pointer: this.#frame.pointer }
    this.tell(this.#whole())
  }

  point(x: number, y: number, image: CursorImage | undefined = this.#frame.pointer.image): void {
    this.#frame = { ...this.#frame, pointer: { x, y, image } }
    this.tell()
  }

  #whole(): Rect {
    return { x: 0, y: 0, width: this.#frame.width, height: this.#frame.height }
  }
}

function blank(width: number, height: number): Frame {
  return { width, height, pixels: new Uint8Array(4 * width * height), pointer: { x: 0, y: 0 } }
}
