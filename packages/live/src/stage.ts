/** What is put into the page's element: the picture, a pointer over it, and what takes the keyboard. */
export class Stage {
  readonly canvas = document.createElement('canvas')
  readonly pointer = document.createElement('canvas')
  /** Input methods and the keyboards of phones type only into a text field; this one is not seen. */
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
    this.keyboard.setAttribute('aria-label', 'The screen of the sandbox: keys that are typed here go to it')
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

  /** As large as the element lets it be. At a pixel for a pixel of the display, or a multiple, it stays sharp. */
  fit(): void {
    const { width, height } = this.canvas
    if (width === 0 || height === 0) return
    const { clientWidth, clientHeight } = this.#box
    const ratio = devicePixelRatio
    this.#scale = sharpest(Math.min(clientWidth / width, clientHeight / height) * ratio) / ratio
    const left = Math.round(((clientWidth - width * this.#scale) / 2) * ratio) / ratio
    const top = Math.round(((clientHeight - height * this.#scale) / 2) * ratio) / ratio
    this.canvas.style.transform = `translate(${left}px, ${top}px) scale(${this.#scale})`
    this.canvas.style.imageRendering = Number.isInteger(this.#scale * ratio) ? 'pixelated' : 'auto'
  }

  /** The pixel of the screen below a place of the window; the nearest, where it is beside the picture. */
  pixelAt(clientX: number, clientY: number): { x: number; y: number } {
    const { left, top } = this.canvas.getBoundingClientRect()
    const within = (value: number, size: number) =>
      Math.max(0, Math.min(size - 1, Math.floor(value / this.#scale)))
    return { x: within(clientX - left, this.canvas.width), y: within(clientY - top, this.canvas.height) }
  }

  /** Lays something over the picture with its corner on a pixel of the screen, at the picture's scale. */
  lay(element: HTMLElement, x: number, y: number): void {
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

/** A scale that is nearly a whole number becomes one. */
function sharpest(scale: number): number {
  const whole = Math.floor(scale + 0.02)
  return whole >= 1 && scale - whole < 0.02 ? whole : scale
}
