/** Formats and actions of the extended clipboard (rfbproto, Extended Clipboard Pseudo-Encoding). */
export const clipboardFlags = {
  text: 1,
  caps: 1 << 24,
  request: 1 << 25,
  peek: 1 << 26,
  notify: 1 << 27,
  provide: 1 << 28,
} as const
