import type { Hand } from './hand.ts'
import { Keyboard } from './keyboard.ts'
import { keysyms } from './keysyms.ts'

interface Surroundings {
  /** Whether text of this computer's clipboard may go to the machine's. */
  mayPaste(): boolean
  onPaste(text: string): void
  /** The person wants the keyboard for the page again. */
  onLeave(): void
}

/** Takes what is typed into a field: keys as keys, and as text what an input method or the keyboard of a phone makes. */
export class Typing {
  readonly #hand: Hand
  readonly #keyboard: Keyboard
  readonly #field: HTMLTextAreaElement
  readonly #surroundings: Surroundings
  /** The key of a paste goes to the machine after the text. */
  #afterPaste: KeyboardEvent | undefined

  constructor(field: HTMLTextAreaElement, hand: Hand, surroundings: Surroundings, signal: AbortSignal) {
    this.#field = field
    this.#hand = hand
    this.#surroundings = surroundings
    this.#keyboard = new Keyboard(
      { key: (keysym, isDown) => hand.do({ type: 'key', keysym, isDown }) },
      /Mac|iPhone|iPad/.test(navigator.userAgent),
    )
    field.addEventListener('keydown', event => this.#onKeyDown(event), { signal })
    field.addEventListener('keyup', event => this.#onKeyUp(event), { signal })
    field.addEventListener('beforeinput', event => this.#onInput(event), { signal })
    field.addEventListener('compositionend', event => this.#onText(event.data), { signal })
    field.addEventListener('paste', event => this.#onPaste(event), { signal })
    field.addEventListener('blur', () => this.releaseAll(), { signal })
    document.addEventListener('visibilitychange', () => document.hidden && this.releaseAll(), { signal })
  }

  releaseAll(): void {
    this.#afterPaste = undefined
    this.#keyboard.forget()
    this.#hand.do({ type: 'releaseAll' })
  }

  #onKeyDown(event: KeyboardEvent): void {
    // Keys that nobody takes are the page's, as for going from one button to the next.
    if (!this.#hand.hasControl) return
    if (isLeave(event)) {
      event.preventDefault()
      this.#field.blur()
      this.#surroundings.onLeave()
      return
    }
    if (isPaste(event) && this.#surroundings.mayPaste()) {
      this.#afterPaste = event
      return
    }
    if (this.#keyboard.down(event)) event.preventDefault()
    event.stopPropagation()
  }

  #onKeyUp(event: KeyboardEvent): void {
    if (!this.#hand.hasControl) return
    // There was nothing to paste, or the browser kept it.
    this.#pressAfterPaste()
    this.#keyboard.up(event)
    event.preventDefault()
    event.stopPropagation()
  }

  #onPaste(event: ClipboardEvent): void {
    event.preventDefault()
    const text = event.clipboardData?.getData('text/plain')
    if (text && this.#surroundings.mayPaste()) this.#surroundings.onPaste(text)
    this.#pressAfterPaste()
  }

  #pressAfterPaste(): void {
    if (this.#afterPaste) this.#keyboard.down(this.#afterPaste)
    this.#afterPaste = undefined
  }

  /** The keyboards of phones tell no keys, only what becomes of the field. */
  #onInput(event: InputEvent): void {
    if (event.isComposing || event.inputType === 'insertCompositionText') return
    event.preventDefault()
    if (event.inputType === 'insertLineBreak') this.#stroke(keysyms.enter)
    else if (event.inputType === 'deleteContentBackward') this.#stroke(keysyms.backspace)
    else if (event.inputType === 'deleteContentForward') this.#stroke(keysyms.delete)
    else if (event.data) this.#onText(event.data)
  }

  #onText(text: string): void {
    if (text !== '') this.#hand.do({ type: 'text', text })
    // The browser writes what was composed into the field after it has told so.
    setTimeout(() => {
      this.#field.value = ''
    })
  }

  #stroke(keysym: number): void {
    this.#hand.do({ type: 'key', keysym, isDown: true })
    this.#hand.do({ type: 'key', keysym, isDown: false })
  }
}

/** Since all other keys are the machine's. */
function isLeave({ key, ctrlKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return ctrlKey && altKey && shiftKey && ['Control', 'Alt', 'Shift'].includes(key)
}

function isPaste({ key, ctrlKey, metaKey, altKey, repeat }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'v' && (ctrlKey || metaKey) && !altKey && !repeat
}
