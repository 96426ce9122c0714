import type { InputSink } from './input-sink.ts'
import { distanceOf, gestureOf, middleOf, minus, type Point } from './two-fingers.ts'

/** A finger that stays still this long is a right click. */
const longPressMs = 500
/** In screen pixels: a finger that has moved less is still a tap, not a drag. */
const dragThresholdPixels = 12
/** Each pixel that two fingers move scrolls by 3/120 of a wheel notch. */
const scrollPerPixel = 3

const [none, rightButton] = [0, 2]

/** What the person sees of the screen, which fingers can enlarge and move. */
export interface Magnifier {
  readonly isZoomed: boolean
  zoomBy(factor: number, clientX: number, clientY: number): void
  panBy(x: number, y: number): void
}

interface Finger {
  /** The pixel of the machine's screen below the finger. */
  readonly place: Point
  /** The position in the window. */
  readonly client: Point
}

type State = 'idle' | 'undecided' | 'dragging' | 'panning' | 'two' | 'scrolling' | 'pinching' | 'done'

/**
 * Touch gestures on a desktop: one finger taps, drags, or is held for a right click; two fingers scroll, or zoom and
 * move the picture. Nothing is sent until the gesture is known, so that the start of a scroll does not click.
 */
export class TouchGestures {
  readonly #sink: InputSink
  readonly #magnifier: Magnifier
  readonly #fingers = new Map<number, Finger>()
  /** Where the two fingers of a gesture that is not known yet were put down. */
  #starts: Finger[] = []
  #state: State = 'idle'
  #start: Point = { x: 0, y: 0 }
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(sink: InputSink, magnifier: Magnifier) {
    this.#sink = sink
    this.#magnifier = magnifier
  }

  take(type: string, finger: number, place: Point, client: Point): void {
    if (type === 'pointerdown') this.#down(finger, { place, client })
    else if (type === 'pointermove') this.#move(finger, { place, client })
    else this.#up(finger, place, type === 'pointercancel')
  }

  #down(finger: number, at: Finger): void {
    this.#fingers.set(finger, at)
    clearTimeout(this.#timer)
    if (this.#state === 'idle') {
      this.#state = 'undecided'
      this.#start = at.place
      this.#timer = setTimeout(() => this.#longPress(), longPressMs)
    } else if (this.#state === 'undecided') {
      this.#state = 'two'
      this.#starts = [...this.#fingers.values()]
    }
  }

  #move(finger: number, at: Finger): void {
    const before = this.#fingers.get(finger)
    if (!before) return
    if (this.#state === 'undecided') {
      if (Math.hypot(at.place.x - this.#start.x, at.place.y - this.#start.y) < dragThresholdPixels) return
      clearTimeout(this.#timer)
      this.#state = this.#sink.hasControl ? 'dragging' : 'panning'
      if (this.#state === 'dragging') this.#touch('start', this.#start)
    }
    const fingersBefore = [...this.#fingers.values()]
    this.#fingers.set(finger, at)
    if (this.#state === 'dragging') this.#touch('move', at.place)
    else if (this.#state === 'panning') this.#pan(before.client, at.client)
    else if (this.#state === 'two') this.#decide()
    else if (this.#state === 'scrolling') this.#scroll(before.place, at.place)
    else if (this.#state === 'pinching') this.#pinch(fingersBefore)
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

  /** What the fingers have moved so far counts once it is known what they do. */
  #decide(): void {
    const now = [...this.#fingers.values()]
    const gesture = gestureOf(this.#starts.map(clientOf), now.map(clientOf))
    if (gesture === undefined) return
    const isScrolling = gesture === 'together' && this.#sink.hasControl && !this.#magnifier.isZoomed
    this.#state = isScrolling ? 'scrolling' : 'pinching'
    if (!isScrolling) this.#pinch(this.#starts)
    else
      for (const [index, { place }] of now.entries()) this.#scroll(this.#starts[index]?.place ?? place, place)
  }

  /** The content follows the fingers: moving them down turns the wheel up. */
  #scroll(before: Point, now: Point): void {
    const share = scrollPerPixel / this.#fingers.size
    const [deltaX, deltaY] = [before.x - now.x, before.y - now.y].map(pixels => Math.round(pixels * share))
    this.#sink.send({ type: 'wheel', ...this.#start, deltaX: deltaX ?? 0, deltaY: deltaY ?? 0 })
  }

  #pinch(fingersBefore: readonly Finger[]): void {
    const [before, now] = [fingersBefore.map(clientOf), [...this.#fingers.values()].map(clientOf)]
    this.#pan(middleOf(before), middleOf(now))
    const { x, y } = middleOf(now)
    this.#magnifier.zoomBy(distanceOf(now) / distanceOf(before), x, y)
  }

  #pan(before: Point, now: Point): void {
    const { x, y } = minus(now, before)
    this.#magnifier.panBy(x, y)
  }

  #touch(phase: 'start' | 'move' | 'end' | 'cancel', place: Point): void {
    this.#sink.send({ type: 'touch', finger: 0, phase, ...place })
  }
}

function clientOf({ client }: Finger): Point {
  return client
}
