import type { ITheme } from '@xterm/xterm'

/** The colours of the page, for the parts of a terminal that programs do not colour. */
export function terminalColours(element: Element): ITheme {
  const style = getComputedStyle(element)
  const token = (name: string) => style.getPropertyValue(name).trim()
  return {
    background: token('--panel'),
    foreground: token('--text'),
    cursor: token('--accent'),
    cursorAccent: token('--panel'),
    selectionBackground: token('--line-strong'),
  }
}
