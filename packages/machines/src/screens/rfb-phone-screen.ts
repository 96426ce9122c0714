import type { Input } from '../contract/input.ts'
import type {
  Clipboard,
  Glimpse,
  Look,
  Rest,
  Sample,
  Screen,
  SettleOptions,
  Watcher,
} from '../contract/screen.ts'
import type { ScreenSize } from '../contract/spec.ts'
import type { UiTree } from '../contract/ui-tree.ts'
import type { AdbScreen } from './adb/adb-screen.ts'
import type { XDesktop } from './x-desktop.ts'

/**
 * The screen of a phone that is also available by RFB, such as the simulator. Pictures come by RFB, which reports
 * what changed and costs one copy, whereas ADB would capture the whole screen again and again. Input goes by ADB, as
 * for every phone.
 */
export class RfbPhoneScreen implements Screen {
  readonly #desktop: XDesktop
  readonly #phone: AdbScreen
  readonly clipboard: Clipboard

  constructor(desktop: XDesktop, phone: AdbScreen) {
    this.#desktop = desktop
    this.#phone = phone
    this.clipboard = desktop.clipboard
  }

  size(): Promise<ScreenSize> {
    return this.#desktop.size()
  }

  look(memory?: Uint8Array<ArrayBuffer>): Promise<Look> {
    return this.#desktop.look(memory)
  }

  sample(known?: number, memory?: Uint8Array<ArrayBuffer>): Promise<Sample> {
    return this.#desktop.sample(known, memory)
  }

  settled(options: SettleOptions): Promise<boolean> {
    return this.#desktop.settled(options)
  }

  begin(): void {
    this.#desktop.begin()
  }

  atRest(options: SettleOptions): Promise<Rest> {
    return this.#desktop.atRest(options)
  }

  watch(watcher: Watcher): Promise<() => void> {
    return this.#desktop.watch(watcher)
  }

  glimpse(onGlimpse: (glimpse: Glimpse) => void): () => void {
    return this.#desktop.glimpse(onGlimpse)
  }

  input(): Promise<Input> {
    return this.#phone.input()
  }

  uiTree(): Promise<UiTree> {
    return this.#phone.uiTree()
  }

  close(): void {
    this.#desktop.close()
    this.#phone.close()
  }
}
