import type { Input, InputSink } from './input-sink.ts'
import { keysymOf } from './keysyms.ts'

const modifiers = new Set(
  ['Shift', 'Control', 'Alt', 'Meta', 'AltGraph'].map(key => keysymOf({ key, code: '', location: 0 })),
)

/** Modifier keys that wait for the next key, for keyboards that lack them, such as those on touch screens. */
export class Latch implements InputSink {
  readonly #sink: InputSink
  readonly #onChange: (keys: readonly string[]) => void
  readonly #keys = new Map<string, number>()

  constructor(sink: InputSink, onChange: (keys: readonly string[]) => void) {
    this.#sink = sink
    this.#onChange = onChange
  }

  get hasControl(): boolean {
    return this.#sink.hasControl
  }

  /** Whether a modifier waits for its key. */
  get isSet(): boolean {
    return this.#keys.size > 0
  }

  toggle(key: string, keysym: number): void {
    if (!this.#keys.delete(key)) this.#keys.set(key, keysym)
    this.#changed()
  }

  clear(): void {
    if (!this.isSet) return
    this.#keys.clear()
    this.#changed()
  }

  /** Presses keys in order and releases them in reverse, with the modifiers that wait. */
  press(keysyms: readonly number[]): void {
    const all = [...this.#keys.values(), ...keysyms]
    this.clear()
    for (const keysym of all) this.#sink.send({ type: 'key', keysym, isDown: true })
    for (const keysym of all.toReversed()) this.#sink.send({ type: 'key', keysym, isDown: false })
  }

  send(input: Input): void {
    const keysym = this.isSet ? strokeOf(input) : undefined
    if (keysym === undefined) this.#sink.send(input)
    else this.press([keysym])
  }

  #changed(): void {
    this.#onChange([...this.#keys.keys()])
  }
}

/** The key that an input presses, or types if it is a single character; on-screen keyboards may make it a capital. */
function strokeOf(input: Input): number | undefined {
  if (input.type === 'key') return input.isDown && !modifiers.has(input.keysym) ? input.keysym : undefined
  if (input.type !== 'text' || [...input.text].length !== 1) return undefined
  return keysymOf({ key: input.text.toLowerCase(), code: '', location: 0 })
}
