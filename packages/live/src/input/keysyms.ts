/** A key as the browser reports it. */
export type Key = Pick<KeyboardEvent, 'key' | 'code' | 'location'>

/** Keysyms of named keys, by `KeyboardEvent.key`; the numbers are from X.Org's keysymdef.h. */
const named: Readonly<Record<string, number>> = {
  Backspace: 0xff08,
  Tab: 0xff09,
  Clear: 0xff0b,
  Enter: 0xff0d,
  Pause: 0xff13,
  Escape: 0xff1b,
  Delete: 0xffff,
  Home: 0xff50,
  ArrowLeft: 0xff51,
  ArrowUp: 0xff52,
  ArrowRight: 0xff53,
  ArrowDown: 0xff54,
  PageUp: 0xff55,
  PageDown: 0xff56,
  End: 0xff57,
  Select: 0xff60,
  PrintScreen: 0xff61,
  Execute: 0xff62,
  Insert: 0xff63,
  Undo: 0xff65,
  Redo: 0xff66,
  ContextMenu: 0xff67,
  Find: 0xff68,
  Cancel: 0xff69,
  Help: 0xff6a,
  ModeChange: 0xff7e,
  Shift: 0xffe1,
  Control: 0xffe3,
  Alt: 0xffe9,
  Meta: 0xffeb,
  Super: 0xffeb,
  Hyper: 0xffed,
  AltGraph: 0xfe03,
  KanjiMode: 0xff21,
  Convert: 0xff23,
  NonConvert: 0xff22,
  Romaji: 0xff24,
  Hiragana: 0xff25,
  Katakana: 0xff26,
  HiraganaKatakana: 0xff27,
  Zenkaku: 0xff28,
  Hankaku: 0xff29,
  ZenkakuHankaku: 0xff2a,
  KanaMode: 0xff2d,
  Eisu: 0xff2f,
  HangulMode: 0xff31,
  HanjaMode: 0xff34,
  AudioVolumeDown: 0x1008ff11,
  AudioVolumeMute: 0x1008ff12,
  AudioVolumeUp: 0x1008ff13,
  MediaPlayPause: 0x1008ff14,
  MediaStop: 0x1008ff15,
  MediaTrackPrevious: 0x1008ff16,
  MediaTrackNext: 0x1008ff17,
  BrowserHome: 0x1008ff18,
  LaunchMail: 0x1008ff19,
  BrowserSearch: 0x1008ff1b,
  BrowserBack: 0x1008ff26,
  BrowserForward: 0x1008ff27,
  BrowserStop: 0x1008ff28,
  BrowserRefresh: 0x1008ff29,
  BrowserFavorites: 0x1008ff30,
  Copy: 0x1008ff57,
  Cut: 0x1008ff58,
  Paste: 0x1008ff6d,
  Open: 0x1008ff6b,
}

/** Modifiers on the right side of the keyboard. */
const rightKeys: Readonly<Record<string, number>> = {
  Shift: 0xffe2,
  Control: 0xffe4,
  Alt: 0xffea,
  Meta: 0xffec,
  Super: 0xffec,
  Hyper: 0xffee,
}

/** The numeric keypad has its own keysyms, which depend on Num Lock. */
const keypadKeys: Readonly<Record<string, number>> = {
  Enter: 0xff8d,
  Home: 0xff95,
  ArrowLeft: 0xff96,
  ArrowUp: 0xff97,
  ArrowRight: 0xff98,
  ArrowDown: 0xff99,
  PageUp: 0xff9a,
  PageDown: 0xff9b,
  End: 0xff9c,
  Clear: 0xff9d,
  Insert: 0xff9e,
  Delete: 0xff9f,
  '=': 0xffbd,
  '*': 0xffaa,
  '+': 0xffab,
  ',': 0xffac,
  '-': 0xffad,
  '.': 0xffae,
  '/': 0xffaf,
}

const right = 2
const keypad = 3
const f1 = 0xffbe
const keypad0 = 0xffb0

/**
 * The keysym of a key on any keyboard layout, because the layout has already decided `key`. Undefined for keys that
 * type nothing by themselves.
 */
export function keysymOf({ key, location }: Key): number | undefined {
  if (location === keypad && /^\d$/.test(key)) return keypad0 + Number(key)
  if (location === keypad && keypadKeys[key] !== undefined) return keypadKeys[key]
  if (location === right && rightKeys[key] !== undefined) return rightKeys[key]
  if (isPrintable(key)) return keysymOfCharacter(key)
  const [, functionKey] = /^F(\d{1,2})$/.exec(key) ?? []
  return functionKey ? f1 - 1 + Number(functionKey) : named[key]
}

/** Whether `key` is a character and not the name of a key. */
export function isPrintable(key: string): boolean {
  return [...key].length === 1
}

/** Latin-1 characters have their code point as keysym; all others have it with bit 24 set. */
function keysymOfCharacter(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0
  const isLatin1 = (codePoint >= 0x20 && codePoint <= 0x7e) || (codePoint >= 0xa0 && codePoint <= 0xff)
  return isLatin1 ? codePoint : 0x0100_0000 + codePoint
}

/** Keysyms that the client sends itself. */
export const keysyms = {
  backspace: 0xff08,
  enter: 0xff0d,
  delete: 0xffff,
  control: 0xffe3,
  alt: 0xffe9,
} as const
