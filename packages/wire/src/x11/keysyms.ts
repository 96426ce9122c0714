/**
 * The keysym of a character. Latin-1 characters have their code point as keysym; all others have it with bit 24 set.
 */
export function keysymOf(codePoint: number): number {
  const isLatin1 = (codePoint >= 0x20 && codePoint <= 0x7e) || (codePoint >= 0xa0 && codePoint <= 0xff)
  return isLatin1 ? codePoint : 0x0100_0000 + codePoint
}
