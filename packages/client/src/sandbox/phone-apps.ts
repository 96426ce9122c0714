import type { CallOptions } from '../call-options.ts'
import { actOnce } from './act.ts'
import type { Acted } from './acted.ts'
import type { ObserveOptions } from './observe-options.ts'
import type { Target } from './target.ts'

/** An app on a phone. */
export interface PhoneApp {
  readonly packageName: string
  /** What people call it. */
  readonly label: string
}

/** The apps of a phone. */
export class PhoneApps {
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  /**
   * Lists the apps that can be opened.
   *
   * @example
   * for (const { label } of await phone.apps.list()) console.log(label)
   */
  async list(options: CallOptions = {}): Promise<readonly PhoneApp[]> {
    const { value } = await actOnce(this.#target, { type: 'os:listApps' }, { ...options, screenshot: false })
    return value as readonly PhoneApp[]
  }

  /**
   * Opens an app by its label, a part of it, or its package.
   *
   * @example
   * const { shot } = await phone.apps.open('notes')
   */
  open(name: string, options: ObserveOptions = {}): Promise<Acted> {
    return actOnce(this.#target, { type: 'os:startAppByName', name }, options)
  }

  /**
   * Ends an app.
   *
   * @example
   * await phone.apps.close('notes')
   */
  close(name: string, options: ObserveOptions = {}): Promise<Acted> {
    return actOnce(this.#target, { type: 'os:closeAppByName', name }, options)
  }
}
