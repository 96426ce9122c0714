import type { PhoneTarget } from './phone-action.ts'
import { requireTypeable } from './typeable.ts'

/**
 * Types text into the focused field. Line breaks press Enter if `isEnter` is set, which may submit a form; otherwise they
 * are part of the text. Text that no keyboard can type fails with INVALID before anything is typed.
 */
export async function typeOnPhone(
  text: string,
  isEnter: boolean,
  { phone, signal }: PhoneTarget,
): Promise<void> {
  requireTypeable(text)
  const lines = isEnter ? text.split(/\r\n|\r|\n/) : [text.replaceAll(/\r\n?/g, '\n')]
  for (const [index, line] of lines.entries()) {
    if (index > 0) await phone.press(['ENTER'], { signal })
    if (line !== '') await phone.type(line, { signal })
  }
}
