import { MachineError } from '../contract/errors.ts'

/** Longer texts would block the machine's input queue for minutes. */
const maxCharacters = 100_000

/**
 * Fails with INVALID if the text contains what no keyboard can type: control characters other than tab and line breaks, or
 * half of a surrogate pair.
 */
export function requireTypeable(text: string): void {
  if (text.length > maxCharacters)
    throw new MachineError(
      'INVALID',
      `content is ${text.length} long, and ${maxCharacters} is the most at once`,
    )
  if (!text.isWellFormed())
    throw new MachineError('INVALID', 'content has half of a surrogate pair in it, which is no character')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for control characters.
  const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/.exec(text)
  if (control) {
    const name = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    throw new MachineError(
      'INVALID',
      `content has U+${name} at ${control.index}, which no key types; press keys by keyboard:hotkey`,
    )
  }
}
