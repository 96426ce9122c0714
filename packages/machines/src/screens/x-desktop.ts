import type { Duplex } from 'node:stream'
import type { Input } from '../contract/input.ts'
import type { Endpoint, Machine } from '../contract/machine.ts'
import type { Point } from '../contract/rect.ts'
import type { Clipboard, Glimpse, Look, Screen, SettleOptions, Watcher } from '../contract/screen.ts'
import type { ScreenSize } from '../contract/spec.ts'
import type { UiElement, UiTree } from '../contract/ui-tree.ts'
import { coverOf } from './accessible/cover-of.ts'
import { readElements } from './accessible/read-elements.ts'
import { setText } from './accessible/set-text.ts'
import { dialPatiently } from './dial-patiently.ts'
import { RfbScreen } from './rfb/rfb-screen.ts'
import { Glimpses } from './x11/glimpses.ts'
import { X11Input } from './x11/x11-input.ts'

/** A desktop that shows itself by RFB and takes input by X11. */
export class XDesktop implements Screen {
  readonly #machine: Pick<Machine, 'dial' | 'exec'>
  readonly #screen: RfbScreen
  #input: Promise<X11Input> | undefined
  #isClosed = false

  constructor(machine: Pick<Machine, 'dial' | 'exec'>) {
    this.#machine = machine
    this.#screen = new RfbScreen(() => this.#connect('screen:rfb'))
  }

  async size(): Promise<ScreenSize> {
    return this.#screen.size ?? (await this.#hands()).size
  }

  look(memory?: Uint8Array<ArrayBuffer>): Promise<Look> {
    return this.#screen.look(memory)
  }

  settled(options: SettleOptions): Promise<boolean> {
    return this.#screen.settled(options)
  }

  watch(watcher: Watcher): Promise<() => void> {
    return this.#screen.watch(watcher)
  }

  glimpse(onGlimpse: (glimpse: Glimpse) => void): () => void {
    const glimpses = new Glimpses(() => this.#connect('screen:x11'), onGlimpse)
    return () => glimpses.close()
  }

  readonly clipboard: Clipboard = {
    watch: onCopy => this.#screen.watchClipboard(onCopy),
    write: text => this.#screen.offer(text),
  }

  input(): Promise<Input> {
    return this.#hands()
  }

  uiTree(): Promise<UiTree> {
    return readElements(spec => this.#machine.exec(spec))
  }

  async coverOf(element: UiElement, at: Point, tree: UiTree): Promise<string | undefined> {
    return coverOf(element, at, tree, await (await this.#hands()).windowAt(at))
  }

  setText(element: UiElement, text: string): Promise<void> {
    return setText(spec => this.#machine.exec(spec), element, text)
  }

  async #hands(): Promise<X11Input> {
    this.#input ??= this.#openInput()
    const input = await this.#input
    if (input.isOpen) return input
    this.#input = this.#openInput()
    return this.#input
  }

  close(): void {
    this.#isClosed = true
    this.#screen.close()
    this.#input?.then(
      input => input.close(),
      () => {},
    )
  }

  async #openInput(): Promise<X11Input> {
    try {
      return await X11Input.open(await this.#connect('screen:x11'), this.#screen)
    } catch (error) {
      this.#input = undefined
      throw error
    }
  }

  #connect(endpoint: Endpoint): Promise<Duplex> {
    return dialPatiently(
      () => this.#machine.dial(endpoint),
      () => !this.#isClosed,
    )
  }
}
