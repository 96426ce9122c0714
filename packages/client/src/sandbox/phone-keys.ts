import { actOnce } from './act.ts'
import type { Acted } from './acted.ts'
import type { ActionInput } from './action-input.ts'
import type { ObserveOptions } from './observe-options.ts'
import type { Target } from './target.ts'

/** The keys that a phone has besides its screen. */
export class PhoneKeys {
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  /**
   * Goes back.
   *
   * @example
   * await phone.keys.back()
   */
  back(options: ObserveOptions = {}): Promise<Acted> {
    return this.#act({ type: 'android:back' }, options)
  }

  /**
   * Shows the home screen.
   *
   * @example
   * await phone.keys.home()
   */
  home(options: ObserveOptions = {}): Promise<Acted> {
    return this.#act({ type: 'android:home' }, options)
  }

  /**
   * Presses a key by its name, such as `volume_up` or `KEYCODE_CAMERA`.
   *
   * @example
   * await phone.keys.press('volume_up')
   */
  press(name: string, options: ObserveOptions = {}): Promise<Acted> {
    return this.#act({ type: 'keyboard:hotkey', keys: name }, options)
  }

  #act(action: ActionInput, options: ObserveOptions): Promise<Acted> {
    return actOnce(this.#target, action, options)
  }
}
