import type { Stage } from '../stage.ts'
import type { Hand } from './hand.ts'
import { TouchGestures } from './touch-gestures.ts'
import { turned } from './wheel.ts'

/** Takes mouse, pen, wheel and fingers on the picture. */
export class Pointing {
  readonly #stage: Stage
  readonly #hand: Hand
  readonly #onMoved: (x: number, y: number) => void
  readonly #touch: TouchGestures
  #last = ''

  constructor(stage: Stage, hand: Hand, onMoved: (x: number, y: number) => void, signal: AbortSignal) {
    this.#stage = stage
    this.#hand = hand
    this.#onMoved = onMoved
    this.#touch = new TouchGestures(hand)
    const { canvas } = stage
    for (const type of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'] as const)
      canvas.addEventListener(type, event => this.#onPointer(event), { signal })
    canvas.addEventListener('wheel', event => this.#onWheel(event), { passive: false, signal })
    canvas.addEventListener('contextmenu', event => event.preventDefault(), { signal })
    // The browser's own ways back and forward, and scrolling by the middle button, are keys of the machine here.
    for (const type of ['mousedown', 'mouseup', 'auxclick'] as const)
      canvas.addEventListener(type, event => event.preventDefault(), { signal })
  }

  #onPointer(event: PointerEvent): void {
    const { type, pointerId, pointerType, buttons } = event
    const place = this.#stage.pixelAt(event.clientX, event.clientY)
    if (type === 'pointerdown') {
      this.#stage.focus()
      this.#stage.canvas.setPointerCapture(pointerId)
    }
    event.preventDefault()
    if (pointerType === 'touch') {
      this.#touch.take(type, pointerId, place)
      return
    }
    const told = `${place.x} ${place.y} ${buttons}`
    if (told === this.#last) return
    this.#last = told
    this.#onMoved(place.x, place.y)
    this.#hand.do({ type: 'pointer', ...place, buttons: buttons & 0x1f })
  }

  #onWheel(event: WheelEvent): void {
    event.preventDefault()
    const [deltaX, deltaY] = [turned(event.deltaX, event.deltaMode), turned(event.deltaY, event.deltaMode)]
    if (deltaX === 0 && deltaY === 0) return
    this.#hand.do({ type: 'wheel', ...this.#stage.pixelAt(event.clientX, event.clientY), deltaX, deltaY })
  }
}
