import { actOnce } from './act.ts'
import type { Acted } from './acted.ts'
import type { ObserveOptions } from './observe-options.ts'
import type { Target } from './target.ts'

export interface TypeOptions extends ObserveOptions {
  /** Whether a line break presses Enter. Otherwise it presses Shift+Enter, which breaks the line and sends nothing. */
  readonly enter?: boolean | undefined
}

export interface PressOptions extends ObserveOptions {
  /** How long the keys are held. */
  readonly holdMs?: number | undefined
}

/** The keyboard of a desktop or a phone. */
export class Keyboard {
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  /**
   * Types text in any script.
   *
   * @example
   * await box.keyboard.type('Grüße, 世界\n', { enter: true })
   */
  type(text: string, options: TypeOptions = {}): Promise<Acted> {
    const { enter = false } = options
    return actOnce(
      this.#target,
      { type: 'keyboard:type', content: text, treatNewLineAsEnter: enter },
      options,
    )
  }

  /**
   * Presses keys together, named as in xdotool.
   *
   * @example
   * await box.keyboard.press('ctrl+l')
   * await box.keyboard.press('Return')
   */
  press(keys: string, options: PressOptions = {}): Promise<Acted> {
    const { holdMs } = options
    const duration = holdMs === undefined ? {} : { duration: holdMs }
    return actOnce(this.#target, { type: 'keyboard:hotkey', keys, ...duration }, options)
  }

  /**
   * Holds a key until `up`. Only desktops can.
   *
   * @example
   * await box.keyboard.down('shift')
   */
  down(key: string, options: ObserveOptions = {}): Promise<Acted> {
    return actOnce(this.#target, { type: 'key:down', key }, options)
  }

  /**
   * Releases a key that `down` holds.
   *
   * @example
   * await box.keyboard.up('shift')
   */
  up(key: string, options: ObserveOptions = {}): Promise<Acted> {
    return actOnce(this.#target, { type: 'key:up', key }, options)
  }
}
