import type { FakeScreen } from './fake-screen.ts'
import type { FakeViewer } from './fake-viewer.ts'

/** Whether a viewer shows exactly what is on the screen. */
export function showsExactly(viewer: FakeViewer, screen: Pick<FakeScreen, 'words'>): boolean {
  const { words: shown } = viewer
  const { words } = screen
  return (
    shown.length === words.length &&
    words.every((word, at) => (shown[at] ?? 0) % 0x1000000 === (word & 0xffffff))
  )
}
