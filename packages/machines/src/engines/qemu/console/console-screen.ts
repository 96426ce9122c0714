import { addAbortListener } from 'node:events'
import type { Duplex } from 'node:stream'
import { type Failure, Supervised } from '@sandglass/supervision'
import { qemuKeyEvent } from '@sandglass/wire/rfb'
import { MachineError } from '../../../contract/errors.ts'
import type { Input } from '../../../contract/input.ts'
import type { Point } from '../../../contract/rect.ts'
import type { Frame, Look, Sample, Screen, SettleOptions, Watcher } from '../../../contract/screen.ts'
import type { ScreenSize } from '../../../contract/spec.ts'
import type { UiTree } from '../../../contract/ui-tree.ts'
import { linkBackoff } from '../../../screens/link-backoff.ts'
import { RfbScreen } from '../../../screens/rfb/rfb-screen.ts'
import type { ConsoleAccess } from './console-access.ts'
import { ConsoleInput, type ScreenOfInput } from './input/console-input.ts'
import { Held } from './input/held.ts'
import { Keyboard } from './input/keyboard.ts'
import type { KeyboardLayout } from './input/keyboard-layout.ts'
import { pixelAt } from './input/tablet-axis.ts'
import { JsonLines } from './json-lines.ts'

/**
 * The release of a key that is not held, which QEMU ignores, although any message about keys makes it look at its screen
 * again soon. The key is Scroll Lock.
 */
const nudge = qemuKeyEvent(0xff14, 0x46, false)

/** QEMU looks at its screen 30 ms after a nudge and, while it is nudged, at least every 80 ms. */
const minQuietMs = 200

type Part = 'screen' | 'input'

/** A screen that is seen by QEMU's VNC server and controlled by QMP. Nothing in the guest has to cooperate. */
export class ConsoleScreen implements Screen {
  readonly #picture: RfbScreen
  readonly #inputs: Supervised<ConsoleInput>
  readonly #held = new Held()
  readonly #watchers = new Map<Watcher, Frame | undefined>()
  readonly #waiting = new Set<(hasChanged: boolean) => void>()
  readonly #failures = new Map<Part, Failure>()
  readonly #onFailure: (failure: Failure | undefined) => void
  /** In positions of the tablet, so that it stays where it is when the size of the screen changes. */
  #pointer: Point = { x: 0, y: 0 }

  constructor(
    access: Pick<ConsoleAccess, 'connect'>,
    layout: KeyboardLayout,
    made: ScreenSize,
    onFailure: (failure: Failure | undefined) => void,
  ) {
    this.#onFailure = onFailure
    this.#picture = new RfbScreen((): Promise<Duplex> => access.connect('rfb'), {
      made,
      nudge,
      onChange: () => this.#changed(),
      onFailure: failure => this.#note('screen', failure),
    })
    const keyboard = new Keyboard(layout)
    this.#inputs = new Supervised({
      open: async () =>
        new ConsoleInput(new JsonLines(await access.connect('input')), this.#ofInput, keyboard, this.#held),
      ended: input => input.closed,
      close: input => input.close(),
      backoff: linkBackoff,
      probes: true,
      onFailure: failure => this.#note('input', failure),
    })
  }

  async size(): Promise<ScreenSize> {
    for (;;) {
      const size = this.#picture.size ?? (await this.#picture.whileCurrent(async () => this.#picture.size))
      if (size) return { width: size.width, height: size.height }
    }
  }

  async look(memory?: Uint8Array<ArrayBuffer>): Promise<Look> {
    const { frame, changed } = await this.#picture.look(memory)
    return { frame: this.#withPointer(frame), changed }
  }

  async sample(known?: number, memory?: Uint8Array<ArrayBuffer>): Promise<Sample> {
    const { version, frame } = await this.#picture.sample(known, memory)
    return frame ? { version, frame: this.#withPointer(frame) } : { version }
  }

  settled(options: SettleOptions): Promise<boolean> {
    return this.#picture.settled({ ...options, quietMs: Math.max(options.quietMs, minQuietMs) })
  }

  async watch(watcher: Watcher): Promise<() => void> {
    this.#watchers.set(watcher, undefined)
    const stop = await this.#picture
      .watch((changed, frame) => {
        this.#watchers.set(watcher, frame)
        watcher(changed, this.#withPointer(frame))
      })
      .catch(error => {
        this.#watchers.delete(watcher)
        throw error
      })
    return () => {
      this.#watchers.delete(watcher)
      stop()
    }
  }

  input(): Promise<Input> {
    return this.#inputs.get()
  }

  async uiTree(): Promise<UiTree> {
    throw new MachineError(
      'LACKS_AGENT',
      'The system in this machine has no agent of ours, so the elements on its screen are not known. Use a screenshot and coordinates.',
    )
  }

  close(): void {
    this.#picture.close()
    this.#inputs.close(new MachineError('STATE', 'the machine has ended or was closed'))
  }

  readonly #ofInput: ScreenOfInput = {
    pointer: () => this.#pointer,
    movePointer: to => {
      this.#pointer = to
      for (const [watcher, frame] of this.#watchers) if (frame) watcher([], this.#withPointer(frame))
    },
    size: () => this.size(),
    gaveInput: () => this.#picture.expectChange(),
    whileCurrent: work => this.#picture.whileCurrent(work),
    changedWithin: (ms, signal) => this.#changedWithin(ms, signal),
  }

  #changed(): void {
    for (const resolve of this.#waiting) resolve(true)
  }

  async #changedWithin(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(resolve, ms, false)
    using _ = signal && addAbortListener(signal, () => resolve(false))
    this.#waiting.add(resolve)
    const hasChanged = await promise
    this.#waiting.delete(resolve)
    clearTimeout(timer)
    signal?.throwIfAborted()
    return hasChanged
  }

  #withPointer(frame: Frame): Frame {
    const { x, y } = this.#pointer
    const { width, height, pointer } = frame
    return { ...frame, pointer: { ...pointer, x: pixelAt(x, width), y: pixelAt(y, height) } }
  }

  #note(part: Part, failure: Failure | undefined): void {
    if (failure) this.#failures.set(part, failure)
    else this.#failures.delete(part)
    const [first] = this.#failures.values()
    this.#onFailure(first)
  }
}
