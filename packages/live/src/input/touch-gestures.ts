import type { InputSink } from './input-sink.ts'

interface Point {
  readonly x: number
  readonly y: number
}

/** A finger that stays still this long is a right click. */
const longPressMs = 500
/** In screen pixels: a finger that has moved less is still a tap, not a drag. */
const dragThresholdPixels = 12
/** Each pixel that two fingers move scrolls by 3/120 of a wheel notch. */
const scrollPerPixel = 3

const [none, rightButton] = [0, 2]

/**
 * Touch gestures on a desktop: one finger taps, drags, or is held for a right click; two fingers scroll. Nothing is
 * sent until the gesture is known, so that the start of a scroll does not click.
 */
export class TouchGestures {
  readonly #sink: InputSink
  readonly #fingers = new Map<number, Point>()
  #state: 'idle' | 'undecided' | 'dragging' | 'scrolling' | 'done' = 'idle'
  #start: Point = { x: 0, y: 0 }
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(sink: InputSink) {
    this.#sink = sink
  }

  take(type: string, finger: number, place: Point): void {
    if (type === 'pointerdown') this.#down(finger, place)
    else if (type === 'pointermove') this.#move(finger, place)
    else this.#up(finger, place, type === 'pointercancel')
  }

  #down(finger: number, place: Point): void {
    this.#fingers.set(finger, place)
    clearTimeout(this.#timer)
    if (this.#state === 'idle') {
      this.#state = 'undecided'
      this.#start = place
      this.#timer = setTimeout(() => this.#longPress(), longPressMs)
    } else if (this.#state === 'undecided') this.#state = 'scrolling'
  }

  #move(finger: number, place: Point): void {
    const before = this.#fingers.get(finger)
    if (!before) return
    if (this.#state === 'undecided') {
      if (Math.hypot(place.x - this.#start.x, place.y - this.#start.y) < dragThresholdPixels) return
      clearTimeout(this.#timer)
      this.#state = 'dragging'
      this.#touch('start', this.#start)
    }
    this.#fingers.set(finger, place)
    if (this.#state === 'dragging') this.#touch('move', place)
    else if (this.#state === 'scrolling') this.#scroll(before, place)
  }

  #up(finger: number, place: Point, isCancelled: boolean): void {
    this.#fingers.delete(finger)
    clearTimeout(this.#timer)
    if (this.#state === 'undecided' && !isCancelled) {
      this.#touch('start', this.#start)
      this.#touch('end', this.#start)
    } else if (this.#state === 'dragging' && this.#fingers.size === 0)
      this.#touch(isCancelled ? 'cancel' : 'end', place)
    this.#state = this.#fingers.size === 0 ? 'idle' : this.#state === 'dragging' ? 'dragging' : 'done'
  }

  #longPress(): void {
    this.#state = 'done'
    for (const buttons of [none, rightButton, none])
      this.#sink.send({ type: 'pointer', ...this.#start, buttons })
  }

  /** The content follows the fingers: moving them down turns the wheel up. */
  #scroll(before: Point, now: Point): void {
    const share = scrollPerPixel / this.#fingers.size
    const [deltaX, deltaY] = [before.x - now.x, before.y - now.y].map(pixels => Math.round(pixels * share))
    this.#sink.send({ type: 'wheel', ...this.#start, deltaX: deltaX ?? 0, deltaY: deltaY ?? 0 })
  }

  #touch(phase: 'start' | 'move' | 'end' | 'cancel', place: Point): void {
    this.#sink.send({ type: 'touch', finger: 0, phase, ...place })
  }
}
