import type { Frame, Screen } from '../../../contract/screen.ts'
import type { Capture } from '../../../screens/adb/screencap.ts'
import { looksLike } from './test-pictures.ts'

/** Watches a screen in a test. */
export class TestWatcher {
  /** The current frame. */
  shown: Frame | undefined
  readonly #screen: Screen
  readonly #wanted = new Map<Capture, () => void>()

  constructor(screen: Screen) {
    this.#screen = screen
  }

  watch(): Promise<() => void> {
    return this.#screen.watch((_, now) => {
      this.shown = now
      for (const [picture, seen] of this.#wanted) if (looksLike(now, picture)) seen()
    })
  }

  /** Resolves when the screen shows something like this picture, even if only for a moment. */
  async sees(picture: Capture): Promise<void> {
    await new Promise<void>(resolve => this.#wanted.set(picture, resolve))
    this.#wanted.delete(picture)
  }
}
