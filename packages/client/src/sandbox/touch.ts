import { actOnce } from './act.ts'
import type { Acted } from './acted.ts'
import { type Coordinate, fraction } from './length.ts'
import type { Point } from './mouse.ts'
import type { ObserveOptions } from './observe-options.ts'
import type { Target } from './target.ts'

export type Direction = 'up' | 'down' | 'left' | 'right'

export interface LongPressOptions extends ObserveOptions {
  /** How long the finger stays. 800 ms by default. */
  readonly holdMs?: number | undefined
}

export interface SwipeOptions extends ObserveOptions {
  /** How far the finger moves. Half of the screen by default. */
  readonly distance?: Coordinate | undefined
  /** Where the finger begins. The middle of the screen by default. */
  readonly from?: Point | undefined
}

/** The touch screen of a phone. Each method is one request, and resolves when what it did has taken effect on the screen. */
export class Touch {
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  /**
   * Taps a place.
   *
   * @example
   * const { shot } = await phone.touch.tap(360, 640)
   */
  tap(x: Coordinate, y: Coordinate, options: ObserveOptions = {}): Promise<Acted> {
    return actOnce(this.#target, { type: 'touch:tap', x, y }, options)
  }

  /**
   * Taps a place twice.
   *
   * @example
   * await phone.touch.doubleTap(360, 640)
   */
  doubleTap(x: Coordinate, y: Coordinate, options: ObserveOptions = {}): Promise<Acted> {
    return actOnce(this.#target, { type: 'mobile:doubleTap', x, y }, options)
  }

  /**
   * Holds a finger on a place.
   *
   * @example
   * await phone.touch.longPress(360, 640, { holdMs: 1500 })
   */
  longPress(x: Coordinate, y: Coordinate, options: LongPressOptions = {}): Promise<Acted> {
    return actOnce(this.#target, { type: 'touch:longPress', x, y, duration: options.holdMs ?? 800 }, options)
  }

  /**
   * Moves the finger in a direction. Content moves with the finger, so `up` shows what is further down.
   *
   * @example
   * await phone.touch.swipe('up')
   */
  swipe(direction: Direction, options: SwipeOptions = {}): Promise<Acted> {
    const { distance = fraction(0.5), from: [x, y] = [fraction(0.5), fraction(0.5)] } = options
    return actOnce(this.#target, { type: 'touch:swipe', x, y, direction, distance }, options)
  }

  /**
   * Drags from one place to another.
   *
   * @example
   * await phone.touch.drag([360, 1000], [360, 300])
   */
  drag([startX, startY]: Point, [endX, endY]: Point, options: ObserveOptions = {}): Promise<Acted> {
    return actOnce(this.#target, { type: 'touch:drag', startX, startY, endX, endY }, options)
  }
}
