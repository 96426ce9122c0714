/** How much larger than the whole screen a person can see it. */
const maxZoom = 8

/**
 * The elements that the view adds to the page: the picture, a pointer over it, and a text field that takes the
 * keyboard.
 */
export class Stage {
  readonly canvas = document.createElement('canvas')
  readonly pointer = document.createElement('canvas')
  /** An invisible text field, because input methods and on-screen keyboards type only into one. */
  readonly keyboard = document.createElement('textarea')
  readonly #box = document.createElement('div')
  readonly #resizes = new ResizeObserver(() => this.fit())
  #scale = 1
  #zoom = 1
  /** How far the picture is moved from the middle of the element, in CSS pixels. */
  #pan = { x: 0, y: 0 }
  /** Called after the picture was placed. */
  onPlaced: () => void = () => {}
  onZoomed: (factor: number) => void = () => {}

  constructor(element: HTMLElement) {
    Object.assign(this.#box.style, {
      position: 'relative',
      width: '100%',
      height: '100%',
      overflow: 'hidden',
      touchAction: 'none',
    })
    // The styles of a page must not resize the picture.
    const placed = { position: 'absolute', inset: '0 auto auto 0', maxWidth: 'none', maxHeight: 'none' }
    Object.assign(this.canvas.style, { ...placed, transformOrigin: '0 0', touchAction: 'none' })
    Object.assign(this.pointer.style, { ...placed, pointerEvents: 'none', display: 'none' })
    Object.assign(this.keyboard.style, {
      position: 'absolute',
      width: '1px',
      height: '1em',
      padding: '0',
      border: '0',
      opacity: '0',
      resize: 'none',
      outline: 'none',
      overflow: 'hidden',
      pointerEvents: 'none',
      fontSize: '16px',
    })
    this.canvas.width = 0
    this.canvas.height = 0
    this.keyboard.setAttribute(
      'aria-label',
      'Screen of the sandbox. While you are in control, what you type here is sent to it. Press Control, Alt and Shift together to leave it.',
    )
    for (const [name, value] of Object.entries({
      autocapitalize: 'off',
      autocomplete: 'off',
      autocorrect: 'off',
    }))
      this.keyboard.setAttribute(name, value)
    this.keyboard.spellcheck = false
    this.#box.append(this.canvas, this.pointer, this.keyboard)
    element.append(this.#box)
    this.#resizes.observe(this.#box)
  }

  /** Scales the picture to the element. A scale of whole device pixels keeps it sharp. */
  fit(): void {
    const { width, height } = this.canvas
    if (width === 0 || height === 0) return
    const { clientWidth, clientHeight } = this.#box
    const ratio = devicePixelRatio
    const whole = Math.min(clientWidth / width, clientHeight / height)
    this.#scale = roundedScale(whole * this.#zoom * ratio) / ratio
    const spare = { x: clientWidth - width * this.#scale, y: clientHeight - height * this.#scale }
    this.#pan = { x: limited(this.#pan.x, spare.x), y: limited(this.#pan.y, spare.y) }
    const left = Math.round((spare.x / 2 + this.#pan.x) * ratio) / ratio
    const top = Math.round((spare.y / 2 + this.#pan.y) * ratio) / ratio
    this.canvas.style.transform = `translate(${left}px, ${top}px) scale(${this.#scale})`
    this.canvas.style.imageRendering = Number.isInteger(this.#scale * ratio) ? 'pixelated' : 'auto'
    this.onPlaced()
  }

  get isZoomed(): boolean {
    return this.#zoom > 1
  }

  /** Zooms so that what is at a position in the window stays there. */
  zoomBy(factor: number, clientX: number, clientY: number): void {
    const zoom = Math.max(1, Math.min(maxZoom, this.#zoom * factor))
    const { left, top, width, height } = this.#box.getBoundingClientRect()
    const from = { x: clientX - left - width / 2, y: clientY - top - height / 2 }
    const grown = zoom / this.#zoom
    this.#pan = {
      x: from.x - (from.x - this.#pan.x) * grown,
      y: from.y - (from.y - this.#pan.y) * grown,
    }
    this.#zoom = zoom
    this.fit()
    this.onZoomed(zoom)
  }

  panBy(x: number, y: number): void {
    this.#pan = { x: this.#pan.x + x, y: this.#pan.y + y }
    this.fit()
  }

  /** Shows the whole screen again. */
  resetZoom(): void {
    this.zoomBy(1 / this.#zoom, 0, 0)
  }

  /** The screen pixel at a position in the window, or the nearest one if the position is outside the picture. */
  pixelAt(clientX: number, clientY: number): { x: number; y: number } {
    const { left, top } = this.canvas.getBoundingClientRect()
    const within = (value: number, size: number) =>
      Math.max(0, Math.min(size - 1, Math.floor(value / this.#scale)))
    return { x: within(clientX - left, this.canvas.width), y: within(clientY - top, this.canvas.height) }
  }

  /** Places an element over the picture, with its corner at a screen pixel and at the picture's scale. */
  placeOver(element: HTMLElement, x: number, y: number): void {
    const { left, top } = this.canvas.getBoundingClientRect()
    const box = this.#box.getBoundingClientRect()
    element.style.transformOrigin = '0 0'
    element.style.transform = `translate(${left - box.left + x * this.#scale}px, ${top - box.top + y * this.#scale}px) scale(${this.#scale})`
  }

  focus(): void {
    this.keyboard.focus({ preventScroll: true })
  }

  close(): void {
    this.#resizes.disconnect()
    this.#box.remove()
  }
}

/** A picture that is larger than the element covers it; a smaller one stays in the middle. */
function limited(pan: number, spare: number): number {
  const most = Math.max(0, -spare / 2)
  return Math.max(-most, Math.min(most, pan))
}

/** Rounds a scale that is almost a whole number, so that the picture stays sharp. */
function roundedScale(scale: number): number {
  const whole = Math.floor(scale + 0.02)
  return whole >= 1 && scale - whole < 0.02 ? whole : scale
}
