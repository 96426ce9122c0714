/** Encodings and pseudo-encodings of RFC 6143, 7.7 and 7.8, and of the community's rfbproto. */
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

/** How to transfer pixels: raw if bandwidth is free, such as on a unix socket, and ZRLE if it is not. */
export type Preference = 'raw' | 'zrle'

/**
 * The encodings to request, in order of preference. Servers use the first that they support, but TigerVNC prefers any
 * other to raw, so ZRLE must not be requested at all if raw is preferred.
 */
export function encodingsFor(prefer: Preference): readonly number[] {
  const { copyRect, raw, zrle, ...pseudo } = encoding
  return [copyRect, ...(prefer === 'raw' ? [raw] : [zrle, raw]), ...Object.values(pseudo)]
}
