/** The keysym that types a character. Latin 1 has its own numbers; everything else its code point with a bit set. */
export function keysymOf(codePoint: number): number {
  const isLatin1 = (codePoint >= 0x20 && codePoint <= 0x7e) || (codePoint >= 0xa0 && codePoint <= 0xff)
  return isLatin1 ? codePoint : 0x0100_0000 + codePoint
}
