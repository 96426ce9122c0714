/** Encodings and pseudo-encodings: RFC 6143, 7.7 and 7.8; the others are of the community's rfbproto. */
export const encoding = {
  raw: 0,
  copyRect: 1,
  zrle: 16,
  desktopSize: -223,
  lastRect: -224,
  cursor: -239,
  qemuExtendedKeyEvent: -258,
  extendedDesktopSize: -308,
  fence: -312,
  continuousUpdates: -313,
  cursorWithAlpha: -314,
  vmwareCursorPosition: 0x574d5666,
  extendedClipboard: 0xc0a1e5ce | 0,
} as const

/** How pixels shall travel: raw where bytes cost nothing, such as on a unix socket, ZRLE where they do. */
export type Preference = 'raw' | 'zrle'

/**
 * Servers take the first that they can, but TigerVNC takes any other before raw: who prefers raw must not ask for
 * ZRLE at all.
 */
export function encodingsFor(prefer: Preference): readonly number[] {
  const { copyRect, raw, zrle, ...pseudo } = encoding
  return [copyRect, ...(prefer === 'raw' ? [raw] : [zrle, raw]), ...Object.values(pseudo)]
}
