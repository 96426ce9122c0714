import { keysymNames, keysymOf } from '@sandglass/wire/x11'

/** The Android key for each X keysym name. */
const byName: Readonly<Record<string, string>> = {
  Return: 'ENTER',
  KP_Enter: 'NUMPAD_ENTER',
  BackSpace: 'DEL',
  Delete: 'FORWARD_DEL',
  Tab: 'TAB',
  space: 'SPACE',
  Escape: 'ESCAPE',
  Home: 'MOVE_HOME',
  End: 'MOVE_END',
  Prior: 'PAGE_UP',
  Next: 'PAGE_DOWN',
  Insert: 'INSERT',
  Up: 'DPAD_UP',
  Down: 'DPAD_DOWN',
  Left: 'DPAD_LEFT',
  Right: 'DPAD_RIGHT',
  Menu: 'MENU',
  Find: 'SEARCH',
  Clear: 'CLEAR',
  Print: 'SYSRQ',
  Shift_L: 'SHIFT_LEFT',
  Shift_R: 'SHIFT_RIGHT',
  Control_L: 'CTRL_LEFT',
  Control_R: 'CTRL_RIGHT',
  Alt_L: 'ALT_LEFT',
  Alt_R: 'ALT_RIGHT',
  Super_L: 'META_LEFT',
  Super_R: 'META_RIGHT',
  Caps_Lock: 'CAPS_LOCK',
  comma: 'COMMA',
  period: 'PERIOD',
  minus: 'MINUS',
  equal: 'EQUALS',
  bracketleft: 'LEFT_BRACKET',
  bracketright: 'RIGHT_BRACKET',
  backslash: 'BACKSLASH',
  semicolon: 'SEMICOLON',
  apostrophe: 'APOSTROPHE',
  slash: 'SLASH',
  at: 'AT',
  plus: 'PLUS',
  grave: 'GRAVE',
  asterisk: 'STAR',
  numbersign: 'POUND',
  XF86Back: 'BACK',
  XF86HomePage: 'HOME',
  XF86AudioRaiseVolume: 'VOLUME_UP',
  XF86AudioLowerVolume: 'VOLUME_DOWN',
  XF86AudioMute: 'VOLUME_MUTE',
  XF86PowerOff: 'POWER',
  XF86WebCam: 'CAMERA',
  XF86AudioPlay: 'MEDIA_PLAY_PAUSE',
  XF86AudioStop: 'MEDIA_STOP',
  XF86AudioNext: 'MEDIA_NEXT',
  XF86AudioPrev: 'MEDIA_PREVIOUS',
}

const byKeysym = new Map<number, string>()
for (const [name, key] of Object.entries(byName)) {
  const keysym = keysymNames.get(name)
  if (keysym !== undefined) byKeysym.set(keysym, key)
}
for (let number = 1; number <= 12; number++) byKeysym.set(0xffbd + number, `F${number}`)

/** Keys that only phones have, by their common names. They are lower-case because `Home` moves the caret. */
export const phoneKeys: Readonly<Record<string, string>> = {
  back: 'BACK',
  home: 'HOME',
  menu: 'MENU',
  power: 'POWER',
  recents: 'APP_SWITCH',
  app_switch: 'APP_SWITCH',
  volume_up: 'VOLUME_UP',
  volume_down: 'VOLUME_DOWN',
  volume_mute: 'VOLUME_MUTE',
  camera: 'CAMERA',
  search: 'SEARCH',
  wakeup: 'WAKEUP',
  sleep: 'SLEEP',
  call: 'CALL',
  endcall: 'ENDCALL',
  paste: 'PASTE',
  copy: 'COPY',
  cut: 'CUT',
}

/** The keys of a keypad are the ASCII characters of this range, moved by this much. */
const keypad = { from: 0xffaa, to: 0xffb9, offset: 0xff80 }
const unicode = 0x0100_0000

/** The character that a keysym types; undefined if it types none. */
export function characterOf(keysym: number): string | undefined {
  if (keysym >= keypad.from && keysym <= keypad.to) return String.fromCharCode(keysym - keypad.offset)
  const codePoint = keysym > unicode ? keysym - unicode : keysym
  return codePoint <= 0x10ffff && keysymOf(codePoint) === keysym ? String.fromCodePoint(codePoint) : undefined
}

/** The keysyms that type a text. */
export function keysymsOf(text: string): number[] {
  return [...text].map(character => keysymOf(character.codePointAt(0) ?? 0))
}

/** Returns the Android keys for a keysym, without the prefix `KEYCODE_`. Upper-case letters include the shift key. */
export function androidKeys(keysym: number): string[] | undefined {
  const known = byKeysym.get(keysym)
  if (known) return [known]
  const character = keysym < 0x7f ? String.fromCharCode(keysym) : ''
  if (/[a-z0-9]/.test(character)) return [character.toUpperCase()]
  return /[A-Z]/.test(character) ? ['SHIFT_LEFT', character] : undefined
}
