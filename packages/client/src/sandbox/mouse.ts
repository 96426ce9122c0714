import { actOnce } from './act.ts'
import type { Acted } from './acted.ts'
import type { Coordinate } from './length.ts'
import type { ObserveOptions } from './observe-options.ts'
import type { Target } from './target.ts'

const flags = { left: 1, right: 2, middle: 4, back: 8, forward: 16 } as const

export type MouseButton = keyof typeof flags

export interface MouseOptions extends ObserveOptions {
  /** Keys that are held meanwhile, such as `ctrl` or `ctrl+shift`. */
  readonly holdKey?: string | undefined
  /** Whether the place counts from the pointer. */
  readonly relative?: boolean | undefined
}

export interface ClickOptions extends MouseOptions {
  /** The left one by default. Several are pressed together. */
  readonly button?: MouseButton | readonly MouseButton[] | undefined
}

export interface DragOptions extends ObserveOptions {
  readonly button?: MouseButton | undefined
  readonly holdKey?: string | undefined
}

/** A place on the screen. */
export type Point = readonly [x: Coordinate, y: Coordinate]

/**
 * The mouse of a desktop. Places are pixels from the upper left corner, or a {@link fraction} of the screen. Each method is one
 * request, and resolves when what it did has taken effect on the screen.
 */
export class Mouse {
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  /**
   * Clicks at a place.
   *
   * @example
   * const { shot } = await box.mouse.click(640, 360)
   * await box.mouse.click(640, 360, { button: 'middle', holdKey: 'ctrl' })
   */
  click(x: Coordinate, y: Coordinate, options: ClickOptions = {}): Promise<Acted> {
    return this.#press('mouse:click', x, y, options)
  }

  /**
   * Clicks twice.
   *
   * @example
   * await box.mouse.doubleClick(80, 120)
   */
  doubleClick(x: Coordinate, y: Coordinate, options: ClickOptions = {}): Promise<Acted> {
    return this.#press('mouse:doubleClick', x, y, options)
  }

  /**
   * Clicks three times, which selects a line in most programs.
   *
   * @example
   * await box.mouse.tripleClick(400, 200)
   */
  tripleClick(x: Coordinate, y: Coordinate, options: ClickOptions = {}): Promise<Acted> {
    return this.#press('mouse:tripleClick', x, y, options)
  }

  /**
   * Clicks with the right button.
   *
   * @example
   * await box.mouse.rightClick(640, 360)
   */
  rightClick(x: Coordinate, y: Coordinate, options: MouseOptions = {}): Promise<Acted> {
    return this.#press('mouse:click', x, y, { ...options, button: 'right' })
  }

  /**
   * Moves the pointer.
   *
   * @example
   * await box.mouse.move(10, 0, { relative: true })
   */
  move(x: Coordinate, y: Coordinate, options: MouseOptions = {}): Promise<Acted> {
    return actOnce(this.#target, { type: 'mouse:move', x, y, ...heldBy(options) }, options)
  }

  /**
   * Drags from one place to another, and drops there.
   *
   * @example
   * await box.mouse.drag([100, 100], [600, 400])
   */
  drag([startX, startY]: Point, [endX, endY]: Point, options: DragOptions = {}): Promise<Acted> {
    const { holdKey, button } = options
    return actOnce(
      this.#target,
      {
        type: 'mouse:drag',
        startX,
        startY,
        endX,
        endY,
        ...(holdKey !== undefined && { holdKey }),
        ...(button !== undefined && { button: flags[button] }),
      },
      options,
    )
  }

  /**
   * Turns the wheel at a place.
   *
   * @example
   * await box.mouse.scroll(640, 360, { down: 5 })
   */
  scroll(x: Coordinate, y: Coordinate, options: ScrollOptions = {}): Promise<Acted> {
    const { down = 0, right = 0 } = options
    return actOnce(
      this.#target,
      { type: 'mouse:scroll', x, y, stepVertical: down, stepHorizontal: right, ...heldBy(options) },
      options,
    )
  }

  #press(
    type: 'mouse:click' | 'mouse:doubleClick' | 'mouse:tripleClick',
    x: Coordinate,
    y: Coordinate,
    options: ClickOptions,
  ): Promise<Acted> {
    const buttons = [options.button ?? 'left'].flat()
    const button = [...new Set(buttons)].reduce((sum, name) => sum + flags[name], 0)
    return actOnce(this.#target, { type, x, y, button, ...heldBy(options) }, options)
  }
}

export interface ScrollOptions extends MouseOptions {
  /** Wheel steps. Negative is up. */
  readonly down?: number | undefined
  /** Wheel steps. Negative is left. */
  readonly right?: number | undefined
}

function heldBy({ holdKey, relative }: MouseOptions) {
  return { ...(holdKey !== undefined && { holdKey }), ...(relative !== undefined && { relative }) }
}
