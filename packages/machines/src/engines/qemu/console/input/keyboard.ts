import { keysymNames } from '@sandglass/wire/x11'
import { MachineError } from '../../../../contract/errors.ts'
import type { TypeOptions } from '../../../../contract/input.ts'
import { type KeyboardLayout, type Stroke, strokesByCharacter } from './keyboard-layout.ts'
import { namedKeys } from './named-keys.ts'

const leftTab: Stroke = { qcode: 'tab', modifiers: ['shift'] }

/** Finds the keys of a layout. A character that the layout does not have is an error, never another character. */
export class Keyboard {
  readonly #layout: KeyboardLayout
  readonly #byCharacter: ReadonlyMap<string, Stroke>
  readonly #byKeysym = new Map<number, Stroke>()

  constructor(layout: KeyboardLayout) {
    this.#layout = layout
    this.#byCharacter = strokesByCharacter(layout)
    for (const [name, qcode] of namedKeys) {
      const keysym = keysymNames.get(name)
      if (keysym !== undefined) this.#byKeysym.set(keysym, { qcode, modifiers: [] })
    }
    this.#byKeysym.set(keysymNames.get('ISO_Left_Tab') ?? 0, leftTab)
  }

  /** The key for a keysym. INVALID if the keyboard has none. */
  strokeOf(keysym: number): Stroke {
    const stroke = this.#byKeysym.get(keysym) ?? this.#byCharacter.get(characterOf(keysym))
    if (stroke) return stroke
    throw new MachineError(
      'INVALID',
      `the keyboard of this machine (layout ${this.#layout.name}) has no key for ${nameOf(keysym)}, so nothing was pressed; press keys that it has`,
    )
  }

  /** The keys that type a text. INVALID, with the first character that cannot be typed. CR LF is one line break. */
  strokesOf(text: string, lineBreak: TypeOptions['lineBreak']): Stroke[] {
    const enter = { qcode: 'ret', modifiers: lineBreak === 'Shift+Enter' ? ['shift'] : [] }
    let at = 0
    return Array.from(text.replaceAll(/\r\n?/g, '\n'), character => {
      const position = at
      at += character.length
      if (character === '\n') return enter
      if (character === '\t') return { qcode: 'tab', modifiers: [] }
      const stroke = this.#byCharacter.get(character)
      if (stroke) return stroke
      throw new MachineError(
        'INVALID',
        `${quoted(character)} at ${position} is not on the keyboard of this machine (layout ${this.#layout.name}), so nothing was typed; leave it out, or write the text to a file if the guest has an agent`,
      )
    })
  }
}

function characterOf(keysym: number): string {
  const codePoint = keysym >= 0x0100_0000 ? keysym - 0x0100_0000 : keysym <= 0xff ? keysym : 0
  return codePoint > 0 && codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : ''
}

function nameOf(keysym: number): string {
  const character = characterOf(keysym)
  if (character) return quoted(character)
  const [name] = [...keysymNames].find(([, number]) => number === keysym) ?? []
  return name ?? `keysym 0x${keysym.toString(16)}`
}

function quoted(character: string): string {
  const number = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `${JSON.stringify(character)} (U+${number})`
}
