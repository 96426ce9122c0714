import type { Duplex } from 'node:stream'
import { type Failure, Supervised } from '@sandglass/supervision'
import { X11Error, X11LimitError } from '@sandglass/wire/x11'
import type { MachineActivity } from '../contract/activity.ts'
import { MachineError } from '../contract/errors.ts'
import type { Input } from '../contract/input.ts'
import type { Endpoint, Machine } from '../contract/machine.ts'
import type { Point } from '../contract/rect.ts'
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
import { defaultScreen, type ScreenSize } from '../contract/spec.ts'
import type { UiElement, UiTree } from '../contract/ui-tree.ts'
import { coverOf } from './accessible/cover-of.ts'
import { readElements } from './accessible/read-elements.ts'
import { setText } from './accessible/set-text.ts'
import { dialWithRetry } from './dial-with-retry.ts'
import { EffectWatch } from './effects/effect-watch.ts'
import { linkBackoff } from './link-backoff.ts'
import { Penalty } from './penalty.ts'
import { RfbScreen } from './rfb/rfb-screen.ts'
import { Glimpses } from './x11/glimpses.ts'
import { X11Input } from './x11/x11-input.ts'

/** What a desktop needs of its machine. */
export interface DesktopMachine extends Pick<Machine, 'dial' | 'exec'> {
  /** What its programs do, if that can be observed from outside. */
  activity?(): Promise<MachineActivity | undefined>
}

type DesktopPart = 'screen' | 'input'

/** A desktop that is seen by RFB and controlled by X11. */
export class XDesktop implements Screen {
  readonly #machine: DesktopMachine
  readonly #effects: EffectWatch
  readonly #screen: RfbScreen
  readonly #inputs: Supervised<X11Input>
  readonly #inputPenalty = new Penalty()
  readonly #failures = new Map<DesktopPart, Failure>()
  readonly #onFailure: (failure: Failure | undefined) => void
  #isClosed = false

  /**
   * `onFailure` is called when the screen or its input cannot be reached, and with `undefined` when both can be
   * reached again. `made` is the size that the machine was made with.
   */
  constructor(
    machine: DesktopMachine,
    onFailure: (failure: Failure | undefined) => void = () => {},
    made: ScreenSize = defaultScreen,
  ) {
    this.#machine = machine
    this.#onFailure = onFailure
    this.#effects = new EffectWatch(async () => machine.activity?.())
    this.#screen = new RfbScreen(() => this.#connect('screen:rfb'), {
      made,
      onChange: rects => this.#effects.changed(rects),
      onFailure: failure => this.#note('screen', failure),
    })
    this.#inputs = new Supervised({
      open: () => this.#openInput(),
      ended: input => input.closed,
      isFault: end => this.#isExcess(end),
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

  sample(known?: number, memory?: Uint8Array<ArrayBuffer>): Promise<Sample> {
    return this.#screen.sample(known, memory)
  }

  settled(options: SettleOptions): Promise<boolean> {
    return this.#screen.settled(options)
  }

  drawn(): Promise<void> {
    return this.#screen.drawn()
  }

  begin(): void {
    this.#effects.begin(this.#screen.size !== undefined)
  }

  atRest(options: SettleOptions): Promise<Rest> {
    return this.#screen.whileCurrent(() => this.#effects.atRest(options))
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

  async input(): Promise<Input> {
    try {
      return await this.#inputs.get()
    } catch (cause) {
      if (!(cause instanceof X11Error)) throw cause
      const message = `The input of the machine cannot be used: ${cause.message}.`
      throw new MachineError('MACHINE_FAILED', message, { cause })
    }
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

  async #openInput(): Promise<X11Input> {
    this.#inputPenalty.check()
    try {
      return await X11Input.open(await this.#connect('screen:x11'), this.#screen, this.#effects.windows)
    } catch (error) {
      this.#isExcess(error)
      throw error
    }
  }

  /** Whether the X server exceeded a limit, for which it stays disconnected for a while. */
  #isExcess(end: unknown): boolean {
    if (!(end instanceof X11LimitError)) return false
    this.#inputPenalty.impose(end)
    return true
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
