import { isPrintable, keysymOf, keysyms } from './keysyms.ts'

/** The fields of a keyboard's event that decide what is sent. */
export type KeyInput = Pick<
  KeyboardEvent,
  'key' | 'code' | 'location' | 'altKey' | 'metaKey' | 'ctrlKey' | 'isComposing' | 'keyCode' | 'timeStamp'
>

export interface Keys {
  key(keysym: number, isDown: boolean): void
}

/** What input methods, dead keys and the keyboards of phones say in place of a key: the text comes by itself. */
const byText = new Set(['Dead', 'Process', 'Unidentified', 'Compose', 'GroupNext'])
const composing = 229

/** What they do to other keys is in those keys already. */
const locks = new Set(['CapsLock', 'NumLock', 'ScrollLock'])

/** Windows tells AltGr as Control and AltGr at the same time. */
const sameTimeMs = 20

/** From keys of this keyboard to keys of the machine. Every key that went down comes up as the one that went down. */
export class Keyboard {
  readonly #keys: Keys
  readonly #isMac: boolean
  readonly #down = new Map<string, { readonly keysym: number; readonly at: number }>()

  constructor(keys: Keys, isMac: boolean) {
    this.#keys = keys
    this.#isMac = isMac
  }

  /** Whether the key was taken; otherwise the browser shall do with it what it does, such as compose. */
  down(event: KeyInput): boolean {
    const { key, code, isComposing, keyCode, timeStamp } = event
    if (isComposing || keyCode === composing || byText.has(key)) return false
    if (locks.has(key)) return true
    if (key === 'AltGraph') return this.#altGraph(timeStamp)
    if (this.#isMac && key === 'Alt') return true
    const keysym = this.#isMac && key === 'Meta' ? keysyms.control : keysymOf(event)
    if (keysym === undefined) return false
    if (this.#isMac && key !== 'Meta' && (event.metaKey || event.altKey))
      return this.#macStroke(event, keysym)
    const id = code || key
    const before = this.#down.get(id)
    // The layout or a modifier has changed while the key repeats.
    if (before && before.keysym !== keysym) this.#keys.key(before.keysym, false)
    this.#down.set(id, { keysym, at: timeStamp })
    this.#keys.key(keysym, true)
    return true
  }

  up({ key, code }: Pick<KeyInput, 'key' | 'code'>): void {
    const id = code || key
    const pressed = this.#down.get(id)
    if (!pressed) return
    this.#down.delete(id)
    this.#keys.key(pressed.keysym, false)
  }

  /** The other side has let go of all keys. */
  forget(): void {
    this.#down.clear()
  }

  /** AltGr has done its work when it has chosen a character: the machine's own layout need not have one. */
  #altGraph(at: number): boolean {
    const control = this.#down.get('ControlLeft')
    if (control && at - control.at < sameTimeMs) this.up({ key: 'Control', code: 'ControlLeft' })
    return true
  }

  /**
   * A Mac tells no key's end while Command is down. Command stands for Control, as shortcuts mean it; Option chooses
   * characters as AltGr does, and is Alt with keys that type none.
   */
  #macStroke({ key, altKey }: KeyInput, keysym: number): boolean {
    const withAlt = altKey && !isPrintable(key)
    if (withAlt) this.#keys.key(keysyms.alt, true)
    this.#keys.key(keysym, true)
    this.#keys.key(keysym, false)
    if (withAlt) this.#keys.key(keysyms.alt, false)
    return true
  }
}
