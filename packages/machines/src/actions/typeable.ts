import { MachineError } from '../contract/errors.ts'

/** What nobody types in one go. */
const maxCharacters = 100_000

/** Refuses what no keyboard types: control characters, but for tab and line breaks, and halves of characters. */
export function requireTypeable(text: string): void {
  if (text.length > maxCharacters)
    throw new MachineError(
      'INVALID',
      `content is ${text.length} long, and ${maxCharacters} is the most at once`,
    )
  if (!text.isWellFormed())
    throw new MachineError('INVALID', 'content has half of a surrogate pair in it, which is no character')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/.exec(text)
  if (control) {
    const name = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    throw new MachineError(
      'INVALID',
      `content has U+${name} at ${control.index}, which no key types; press keys by keyboard:hotkey`,
    )
  }
}
