import type { Stage } from '../stage.ts'
import type { InputSink } from './input-sink.ts'
import { TouchGestures } from './touch-gestures.ts'
import { wheelDelta } from './wheel.ts'

/** Turns mouse, pen, wheel and touch events on the picture into input. */
export class PointerInput {
  readonly #stage: Stage
  readonly #sink: InputSink
  readonly #onMoved: (x: number, y: number) => void
  readonly #touch: TouchGestures
  #last = ''

  constructor(stage: Stage, sink: InputSink, onMoved: (x: number, y: number) => void, signal: AbortSignal) {
    this.#stage = stage
    this.#sink = sink
    this.#onMoved = onMoved
    this.#touch = new TouchGestures(sink, stage)
    const { canvas } = stage
    for (const type of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'] as const)
      canvas.addEventListener(type, event => this.#onPointer(event), { signal })
    canvas.addEventListener('wheel', event => this.#onWheel(event), { passive: false, signal })
    canvas.addEventListener('contextmenu', event => event.preventDefault(), { signal })
    // Keeps the browser from going back or forward and from scrolling with the middle button: these are buttons of the
    // machine here.
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
      this.#touch.take(type, pointerId, place, { x: event.clientX, y: event.clientY })
      return
    }
    const state = `${place.x} ${place.y} ${buttons}`
    if (state === this.#last) return
    this.#last = state
    this.#onMoved(place.x, place.y)
    this.#sink.send({ type: 'pointer', ...place, buttons: buttons & 0x1f })
  }

  #onWheel(event: WheelEvent): void {
    event.preventDefault()
    const [deltaX, deltaY] = [
      wheelDelta(event.deltaX, event.deltaMode),
      wheelDelta(event.deltaY, event.deltaMode),
    ]
    if (deltaX === 0 && deltaY === 0) return
    this.#sink.send({ type: 'wheel', ...this.#stage.pixelAt(event.clientX, event.clientY), deltaX, deltaY })
  }
}
