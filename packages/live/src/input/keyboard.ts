import { isPrintable, keysymOf, keysyms } from './keysyms.ts'

/** The fields of a KeyboardEvent that decide what is sent. */
export type KeyInput = Pick<
  KeyboardEvent,
  'key' | 'code' | 'location' | 'altKey' | 'metaKey' | 'ctrlKey' | 'isComposing' | 'keyCode' | 'timeStamp'
>

/** Receives the machine's key presses and releases. */
export interface Keys {
  key(keysym: number, isDown: boolean): void
}

/** Reported by input methods, dead keys and on-screen keyboards instead of a key; the text arrives separately. */
const textKeys = new Set(['Dead', 'Process', 'Unidentified', 'Compose', 'GroupNext'])
const composingKeyCode = 229

/** Lock keys already affect the characters that other keys report. */
const lockKeys = new Set(['CapsLock', 'NumLock', 'ScrollLock'])

/** Windows reports AltGr as Control and AltGr within this time. */
const altGrWindowMs = 20

/**
 * Translates key events of this computer to keysyms of the machine. Every key is released as the keysym that was
 * pressed, even if the layout has changed meanwhile.
 */
export class Keyboard {
  readonly #keys: Keys
  readonly #isMac: boolean
  readonly #down = new Map<string, { readonly keysym: number; readonly at: number }>()

  constructor(keys: Keys, isMac: boolean) {
    this.#keys = keys
    this.#isMac = isMac
  }

  /** Returns whether the key was handled. If not, the browser's default must happen, such as composing a character. */
  down(event: KeyInput): boolean {
    const { key, code, isComposing, keyCode, timeStamp } = event
    if (isComposing || keyCode === composingKeyCode || textKeys.has(key)) return false
    if (lockKeys.has(key)) return true
    if (key === 'AltGraph') return this.#altGraph(timeStamp)
    if (this.#isMac && key === 'Alt') return true
    const keysym = this.#isMac && key === 'Meta' ? keysyms.control : keysymOf(event)
    if (keysym === undefined) return false
    if (this.#isMac && key !== 'Meta' && (event.metaKey || event.altKey))
      return this.#macStroke(event, keysym)
    const id = code || key
    const before = this.#down.get(id)
    // The layout or a modifier changed while the key was repeating.
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

  /** Forgets all pressed keys, because the other side has released them. */
  forget(): void {
    this.#down.clear()
  }

  /**
   * AltGr is not sent, because it has already selected the character and the machine's layout may not have it. The
   * Control that Windows adds is released.
   */
  #altGraph(at: number): boolean {
    const control = this.#down.get('ControlLeft')
    if (control && at - control.at < altGrWindowMs) this.up({ key: 'Control', code: 'ControlLeft' })
    return true
  }

  /**
   * A Mac reports no key releases while Command is down, so keys are pressed and released at once. Command is sent as
   * Control, which is what shortcuts use; Option selects characters like AltGr, and is sent as Alt with keys that type
   * none.
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
