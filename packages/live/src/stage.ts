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

  constructor(element: HTMLElement) {
    Object.assign(this.#box.style, {
      position: 'relative',
      width: '100%',
      height: '100%',
      overflow: 'hidden',
    })
    Object.assign(this.canvas.style, { position: 'absolute', transformOrigin: '0 0', touchAction: 'none' })
    Object.assign(this.pointer.style, { position: 'absolute', pointerEvents: 'none', display: 'none' })
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
    this.keyboard.setAttribute('aria-label', 'Screen of the sandbox. What you type here is sent to it.')
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
    this.#scale = roundedScale(Math.min(clientWidth / width, clientHeight / height) * ratio) / ratio
    const left = Math.round(((clientWidth - width * this.#scale) / 2) * ratio) / ratio
    const top = Math.round(((clientHeight - height * this.#scale) / 2) * ratio) / ratio
    this.canvas.style.transform = `translate(${left}px, ${top}px) scale(${this.#scale})`
    this.canvas.style.imageRendering = Number.isInteger(this.#scale * ratio) ? 'pixelated' : 'auto'
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

/** Rounds a scale that is almost a whole number, so that the picture stays sharp. */
function roundedScale(scale: number): number {
  const whole = Math.floor(scale + 0.02)
  return whole >= 1 && scale - whole < 0.02 ? whole : scale
}
