import { Keyboard } from './keyboard.ts'
import { keysyms } from './keysyms.ts'
import type { Latch } from './latch.ts'

interface Callbacks {
  /** Whether this computer's clipboard may be sent to the machine. */
  mayPaste(): boolean
  onPaste(text: string): void
  /** The person wants the keyboard back for the page. */
  onLeave(): void
}

/**
 * Turns what is typed into a text field into input: keys as key events, and the output of input methods and on-screen
 * keyboards as text.
 */
export class KeyboardInput {
  readonly #sink: Latch
  readonly #keyboard: Keyboard
  readonly #field: HTMLTextAreaElement
  readonly #callbacks: Callbacks
  /** The paste key, which is sent to the machine after the pasted text. */
  #afterPaste: KeyboardEvent | undefined
  /** The text that is being composed was sent already. */
  #isComposedSent = false

  constructor(field: HTMLTextAreaElement, sink: Latch, callbacks: Callbacks, signal: AbortSignal) {
    this.#field = field
    this.#sink = sink
    this.#callbacks = callbacks
    this.#keyboard = new Keyboard(
      { key: (keysym, isDown) => sink.send({ type: 'key', keysym, isDown }) },
      /Mac|iPhone|iPad/.test(navigator.userAgent),
    )
    field.addEventListener('keydown', event => this.#onKeyDown(event), { signal })
    field.addEventListener('keyup', event => this.#onKeyUp(event), { signal })
    field.addEventListener('beforeinput', event => this.#onInput(event), { signal })
    field.addEventListener('compositionend', event => this.#onComposed(event.data), { signal })
    field.addEventListener('paste', event => this.#onPaste(event), { signal })
    field.addEventListener('blur', () => this.releaseAll(), { signal })
    document.addEventListener('visibilitychange', () => document.hidden && this.releaseAll(), { signal })
  }

  releaseAll(): void {
    this.#afterPaste = undefined
    this.#keyboard.forget()
    this.#sink.send({ type: 'releaseAll' })
  }

  #onKeyDown(event: KeyboardEvent): void {
    // Without control, keys stay with the page, for example Tab to move between buttons.
    if (!this.#sink.hasControl) return
    if (isLeave(event)) {
      event.preventDefault()
      this.#field.blur()
      this.#callbacks.onLeave()
      return
    }
    if (isPaste(event) && this.#callbacks.mayPaste()) {
      this.#afterPaste = event
      return
    }
    if (this.#keyboard.down(event)) event.preventDefault()
    event.stopPropagation()
  }

  #onKeyUp(event: KeyboardEvent): void {
    if (!this.#sink.hasControl) return
    // Reached if there was nothing to paste, or the browser did not deliver it.
    this.#pressAfterPaste()
    this.#keyboard.up(event)
    event.preventDefault()
    event.stopPropagation()
  }

  #onPaste(event: ClipboardEvent): void {
    event.preventDefault()
    const text = event.clipboardData?.getData('text/plain')
    if (text && this.#callbacks.mayPaste()) this.#callbacks.onPaste(text)
    this.#pressAfterPaste()
  }

  #pressAfterPaste(): void {
    if (this.#afterPaste) this.#keyboard.down(this.#afterPaste)
    this.#afterPaste = undefined
  }

  /** On-screen keyboards report no keys, only changes of the text field. */
  #onInput(event: InputEvent): void {
    if (event.isComposing || event.inputType === 'insertCompositionText') {
      // On-screen keyboards compose whole words, and a modifier must not wait for the end of one.
      if (!this.#sink.isSet || !event.data) return
      this.#isComposedSent = true
      this.#sink.send({ type: 'text', text: event.data.slice(-1) })
      return
    }
    event.preventDefault()
    if (event.inputType === 'insertLineBreak') this.#pressKey(keysyms.enter)
    else if (event.inputType === 'deleteContentBackward') this.#pressKey(keysyms.backspace)
    else if (event.inputType === 'deleteContentForward') this.#pressKey(keysyms.delete)
    else if (event.data) this.#onText(event.data)
  }

  #onComposed(text: string): void {
    const isSent = this.#isComposedSent
    this.#isComposedSent = false
    this.#onText(isSent ? '' : text)
  }

  #onText(text: string): void {
    if (text !== '') this.#sink.send({ type: 'text', text })
    // The browser writes composed text into the field only after this event.
    setTimeout(() => {
      this.#field.value = ''
    })
  }

  #pressKey(keysym: number): void {
    this.#sink.send({ type: 'key', keysym, isDown: true })
    this.#sink.send({ type: 'key', keysym, isDown: false })
  }
}

/** Ctrl+Alt+Shift returns the keyboard to the page, because all other keys go to the machine. */
function isLeave({ key, ctrlKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return ctrlKey && altKey && shiftKey && ['Control', 'Alt', 'Shift'].includes(key)
}

function isPaste({ key, ctrlKey, metaKey, altKey, repeat }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'v' && (ctrlKey || metaKey) && !altKey && !repeat
}
