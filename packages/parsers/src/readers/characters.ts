/** The character at `at`; 0 past the end, which matches nothing. */
export function codeAt(text: string, at: number, end: number): number {
  return at < end ? text.charCodeAt(at) : 0
}

/** Whitespace in model output: space, tab, line ends, no-break and ideographic space. */
export function isBlank(code: number): boolean {
  if (code > 32) return code >= 0xa0 && (code === 0xa0 || code === 0x3000 || code === 0xfeff)
  return code === 32 || (code >= 9 && code <= 13)
}

/** Parentheses, commas and colons also count in full width, as Chinese input methods write them. */
export function opensCall(code: number): boolean {
  return code === 40 || code === 0xff08
}

export function closesCall(code: number): boolean {
  return code === 41 || code === 0xff09
}

export function isComma(code: number): boolean {
  return code === 44 || code === 0xff0c
}

export function isColon(code: number): boolean {
  return code === 58 || code === 0xff1a
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

export function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
}

/** 1 for characters that may start a name, letters and underscores; 2 for digits, which may follow. */
const nameParts = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  nameParts[code] = isLetter(code) || code === 95 ? 1 : isDigit(code) ? 2 : 0
}

export function startsName(code: number): boolean {
  return nameParts[code] === 1
}

export function isNamePart(code: number): boolean {
  return code < 128 && nameParts[code] !== 0
}

/** The first position at or after `at` that is not whitespace, at most `end`. */
export function skipBlanks(text: string, at: number, end = text.length): number {
  while (at < end && isBlank(text.charCodeAt(at))) at++
  return at
}

/** The end of the span `[start, end)` without trailing whitespace. */
export function trimEnd(text: string, start: number, end: number): number {
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return end
}

/** The end of the name at `at`; dots join names, as in `pyautogui.click`. */
export function nameEnd(text: string, at: number): number {
  while (
    isNamePart(text.charCodeAt(at)) ||
    (text.charCodeAt(at) === 46 && startsName(text.charCodeAt(at + 1)))
  )
    at++
  return at
}

/** The start of the next line, at most `end`. Reads nothing past `end`. */
export function nextLineWithin(text: string, at: number, end: number): number {
  while (at < end && text.charCodeAt(at) !== 10) at++
  return at < end ? at + 1 : end
}

/** The start of the next line, at most `end`. May search past `end`. */
export function nextLine(text: string, at: number, end: number): number {
  const found = text.indexOf('\n', at)
  return found < 0 || found >= end ? end : found + 1
}
