import type { PaperScreen } from './paper-screen.ts'
import type { PaperViewer } from './paper-viewer.ts'

/** Whether a viewer shows exactly what is on the screen. */
export function showsExactly(viewer: PaperViewer, screen: Pick<PaperScreen, 'words'>): boolean {
  const { words: shown } = viewer
  const { words } = screen
  return (
    shown.length === words.length &&
    words.every((word, at) => (shown[at] ?? 0) % 0x1000000 === (word & 0xffffff))
  )
}
