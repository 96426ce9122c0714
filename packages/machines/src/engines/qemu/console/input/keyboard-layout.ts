/**
 * What the keys of a keyboard type. Each key is QEMU's name for its place (a qcode), and the characters that it types
 * alone, with Shift, with AltGr, and with both.
 */
export interface KeyboardLayout {
  readonly name: string
  readonly keys: readonly (readonly [qcode: string, characters: string])[]
}

/** A key to press, and the modifiers that are held meanwhile. */
export interface Stroke {
  readonly qcode: string
  readonly modifiers: readonly string[]
}

const levels: readonly (readonly string[])[] = [[], ['shift'], ['alt_r'], ['shift', 'alt_r']]

/** The keys by the character that they type. */
export function strokesByCharacter({ keys }: KeyboardLayout): ReadonlyMap<string, Stroke> {
  const strokes = new Map<string, Stroke>()
  for (const [level, modifiers] of levels.entries())
    for (const [qcode, characters] of keys) {
      const character = [...characters][level]
      if (character !== undefined && !strokes.has(character)) strokes.set(character, { qcode, modifiers })
    }
  return strokes
}
