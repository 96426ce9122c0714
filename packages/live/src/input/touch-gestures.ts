import type { Hand } from './hand.ts'

interface Place {
  readonly x: number
  readonly y: number
}

/** A finger that lies still for so long means the right button. */
const longPressMs = 500
/** A finger that has moved less still lies where it was put, in pixels of the screen. */
const stillPixels = 12
/** Two fingers scroll by one 120th of a notch for each third of a pixel. */
const scrollPerPixel = 3

const [none, rightButton] = [0, 2]

/**
 * Fingers on the picture of a desktop: one taps, drags, or lies still for the right button; two scroll. What one finger means
 * is not sent before it is known, so that the beginning of a scroll clicks nothing.
 */
export class TouchGestures {
  readonly #hand: Hand
  readonly #fingers = new Map<number, Place>()
  #state: 'idle' | 'undecided' | 'dragging' | 'scrolling' | 'done' = 'idle'
  #start: Place = { x: 0, y: 0 }
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(hand: Hand) {
    this.#hand = hand
  }

  take(type: string, finger: number, place: Place): void {
    if (type === 'pointerdown') this.#down(finger, place)
    else if (type === 'pointermove') this.#move(finger, place)
    else this.#up(finger, place, type === 'pointercancel')
  }

  #down(finger: number, place: Place): void {
    this.#fingers.set(finger, place)
    clearTimeout(this.#timer)
    if (this.#state === 'idle') {
      this.#state = 'undecided'
      this.#start = place
      this.#timer = setTimeout(() => this.#longPress(), longPressMs)
    } else if (this.#state === 'undecided') this.#state = 'scrolling'
  }

  #move(finger: number, place: Place): void {
    const before = this.#fingers.get(finger)
    if (!before) return
    if (this.#state === 'undecided') {
      if (Math.hypot(place.x - this.#start.x, place.y - this.#start.y) < stillPixels) return
      clearTimeout(this.#timer)
      this.#state = 'dragging'
      this.#touch('start', this.#start)
    }
    this.#fingers.set(finger, place)
    if (this.#state === 'dragging') this.#touch('move', place)
    else if (this.#state === 'scrolling') this.#scroll(before, place)
  }

  #up(finger: number, place: Place, isCancelled: boolean): void {
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
      this.#hand.do({ type: 'pointer', ...this.#start, buttons })
  }

  /** The page follows the fingers: it goes down as they do, which is the wheel turned up. */
  #scroll(before: Place, now: Place): void {
    const share = scrollPerPixel / this.#fingers.size
    const [deltaX, deltaY] = [before.x - now.x, before.y - now.y].map(pixels => Math.round(pixels * share))
    this.#hand.do({ type: 'wheel', ...this.#start, deltaX: deltaX ?? 0, deltaY: deltaY ?? 0 })
  }

  #touch(phase: 'start' | 'move' | 'end' | 'cancel', place: Place): void {
    this.#hand.do({ type: 'touch', finger: 0, phase, ...place })
  }
}
