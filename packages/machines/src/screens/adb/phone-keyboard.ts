import { keysymNames } from '@sandglass/wire/x11'
import { androidKeys, characterOf } from './android-keys.ts'
import type { DeviceQueue } from './device-queue.ts'
import { pressTogether } from './press-together.ts'

const modifiers = new Set(
  ['Shift_L', 'Shift_R', 'Control_L', 'Control_R', 'Alt_L', 'Alt_R', 'Super_L', 'Super_R'].map(name =>
    keysymNames.get(name),
  ),
)
const shifts = new Set([keysymNames.get('Shift_L'), keysymNames.get('Shift_R')])
const controls = new Set([keysymNames.get('Control_L'), keysymNames.get('Control_R')])

/**
 * Uses a person's keyboard on a phone. Characters are entered as text, because the keys of a phone do not have all of
 * them; other keys are pressed, together with the modifiers that are down.
 */
export class PhoneKeyboard {
  readonly #queue: DeviceQueue
  readonly #held = new Set<number>()
  /** What Ctrl+V types, for a device whose own clipboard cannot be written. */
  pasted: string | undefined

  constructor(queue: DeviceQueue) {
    this.#queue = queue
  }

  down(keysym: number): void {
    if (modifiers.has(keysym)) {
      this.#held.add(keysym)
      return
    }
    const held = [...this.#held]
    const character = characterOf(keysym)
    if (character !== undefined && held.every(modifier => shifts.has(modifier))) this.#queue.type(character)
    else if (this.pasted !== undefined && isPaste(character, held)) this.#queue.type(this.pasted)
    else this.#press([...held, keysym])
  }

  up(keysym: number): void {
    this.#held.delete(keysym)
  }

  releaseAll(): void {
    this.#held.clear()
  }

  #press(keysyms: readonly number[]): void {
    const keys = keysyms.map(androidKeys)
    if (keys.includes(undefined)) return
    const together = [...new Set(keys.flatMap(names => names ?? []))]
    const [only] = together
    if (together.length === 1 && only) this.#queue.do(({ injector }) => injector.key(only))
    else this.#queue.do(({ shell }) => pressTogether(shell, together))
  }
}

function isPaste(character: string | undefined, held: readonly number[]): boolean {
  return character?.toLowerCase() === 'v' && held.every(modifier => controls.has(modifier))
}
