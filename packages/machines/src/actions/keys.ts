import { keysymNames, keysymOf } from '@sandglass/wire/x11'
import { MachineError } from '../contract/errors.ts'

/** Short names of keys that xdotool accepts and people use. */
const aliases: Readonly<Record<string, string>> = {
  alt: 'Alt_L',
  ctrl: 'Control_L',
  control: 'Control_L',
  shift: 'Shift_L',
  meta: 'Meta_L',
  super: 'Super_L',
  win: 'Super_L',
  cmd: 'Super_L',
  hyper: 'Hyper_L',
  altgr: 'ISO_Level3_Shift',
  enter: 'Return',
  esc: 'Escape',
  del: 'Delete',
  ins: 'Insert',
  pageup: 'Prior',
  pagedown: 'Next',
}

/** Key names in lower case, so that `return` and `f5` work. Single letters keep their case, which is significant. */
const smallNames = new Map<string, number>()
for (const [name, keysym] of keysymNames) {
  const small = name.toLowerCase()
  if (name.length > 1 && !smallNames.has(small)) smallNames.set(small, keysym)
}

/** Longer chords are mistakes, and each key costs a round trip. */
const maxKeys = 32

/**
 * The keysyms of a chord in xdotool's syntax: names joined by `+`, in order, each as often as it is named. A name that is no
 * key fails with INVALID and a message that shows what to write.
 *
 * @example
 * ```ts
 * keysymsOf('ctrl+s') // [0xffe3, 0x73]
 * ```
 */
export function keysymsOf(keys: string): number[] {
  const names = keys === '+' ? ['plus'] : keys.replace(/\+\+$/, '+plus').split('+')
  if (names.length > maxKeys)
    throw new MachineError('INVALID', `${names.length} keys are named, and ${maxKeys} are the most at once`)
  return names.map(name => keysymOfName(name.trim() || name, keys))
}

function keysymOfName(name: string, keys: string): number {
  const keysym =
    keysymNames.get(name) ??
    keysymNames.get(aliases[name.toLowerCase()] ?? '') ??
    ofCharacter(name) ??
    ofNumber(name) ??
    smallNames.get(name.toLowerCase())
  if (keysym !== undefined) return keysym
  const whole = keys === name ? '' : ` in ${JSON.stringify(keys)}`
  throw new MachineError(
    'INVALID',
    `${JSON.stringify(name)}${whole} is no key: write a character, a name as xdotool has it such as Return, F5, Page_Down or KP_0, or several joined by +`,
  )
}

function ofCharacter(name: string): number | undefined {
  const [character = '', ...more] = name
  const codePoint = character.codePointAt(0) ?? 0
  return more.length === 0 && codePoint > 0x20 ? keysymOf(codePoint) : undefined
}

/** Accepts `U20AC` as a character and `0xff0d` as a keysym. */
function ofNumber(name: string): number | undefined {
  const [, codePoint, keysym] = /^(?:U\+?([0-9A-Fa-f]{4,6})|0x([0-9A-Fa-f]{1,8}))$/.exec(name) ?? []
  if (codePoint !== undefined) {
    const number = Number.parseInt(codePoint, 16)
    return number > 0x20 && number <= 0x10ffff ? keysymOf(number) : undefined
  }
  const number = Number.parseInt(keysym ?? '', 16)
  return number > 0 && number <= 0x1fff_ffff ? number : undefined
}
