import type { Duplex } from 'node:stream'
import { type Failure, Supervised } from '@sandglass/supervision'
import { MachineError } from '../contract/errors.ts'
import type { Input } from '../contract/input.ts'
import type { Endpoint, Machine } from '../contract/machine.ts'
import type { Point } from '../contract/rect.ts'
import type { Clipboard, Glimpse, Look, Screen, SettleOptions, Watcher } from '../contract/screen.ts'
import { defaultScreen, type ScreenSize } from '../contract/spec.ts'
import type { UiElement, UiTree } from '../contract/ui-tree.ts'
import { coverOf } from './accessible/cover-of.ts'
import { readElements } from './accessible/read-elements.ts'
import { setText } from './accessible/set-text.ts'
import { dialWithRetry } from './dial-with-retry.ts'
import { linkBackoff } from './link-backoff.ts'
import { RfbScreen } from './rfb/rfb-screen.ts'
import { Glimpses } from './x11/glimpses.ts'
import { X11Input } from './x11/x11-input.ts'

type DesktopPart = 'screen' | 'input'

/** A desktop that is seen by RFB and controlled by X11. */
export class XDesktop implements Screen {
  readonly #machine: Pick<Machine, 'dial' | 'exec'>
  readonly #screen: RfbScreen
  readonly #inputs: Supervised<X11Input>
  readonly #failures = new Map<DesktopPart, Failure>()
  readonly #onFailure: (failure: Failure | undefined) => void
  #isClosed = false

  /**
   * `onFailure` is called when the screen or its input cannot be reached, and with `undefined` when both can be
   * reached again. `made` is the size that the machine was made with.
   */
  constructor(
    machine: Pick<Machine, 'dial' | 'exec'>,
    onFailure: (failure: Failure | undefined) => void = () => {},
    made: ScreenSize = defaultScreen,
  ) {
    this.#machine = machine
    this.#onFailure = onFailure
    this.#screen = new RfbScreen(() => this.#connect('screen:rfb'), {
      made,
      onFailure: failure => this.#note('screen', failure),
    })
    this.#inputs = new Supervised({
      open: async () => X11Input.open(await this.#connect('screen:x11'), this.#screen),
      ended: input => input.closed,
      close: input => input.close(),
      backoff: linkBackoff,
      probes: true,
      onFailure: failure => this.#note('input', failure),
    })
  }

  async size(): Promise<ScreenSize> {
    return this.#screen.size ?? (await this.#inputs.get()).size
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
    return this.#inputs.get()
  }

  uiTree(): Promise<UiTree> {
    return readElements(spec => this.#machine.exec(spec))
  }

  async coverOf(element: UiElement, at: Point, tree: UiTree): Promise<string | undefined> {
    return coverOf(element, at, tree, await (await this.#inputs.get()).windowAt(at))
  }

  setText(element: UiElement, text: string): Promise<void> {
    return setText(spec => this.#machine.exec(spec), element, text)
  }

  close(): void {
    this.#isClosed = true
    this.#screen.close()
    this.#inputs.close(new MachineError('STATE', 'the machine has ended or was closed'))
  }

  #note(part: DesktopPart, failure: Failure | undefined): void {
    if (failure) this.#failures.set(part, failure)
    else this.#failures.delete(part)
    const [first] = this.#failures.values()
    this.#onFailure(first)
  }

  #connect(endpoint: Endpoint): Promise<Duplex> {
    return dialWithRetry(
      () => this.#machine.dial(endpoint),
      () => !this.#isClosed,
    )
  }
}
