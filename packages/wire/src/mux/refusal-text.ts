/** The text of a refusal, which anyone may have written, without characters that could confuse a terminal or a log. */
export function refusalText(payload: Uint8Array): string {
  const text = new TextDecoder().decode(payload)
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{fffd}') || 'no reason was given'
}
