import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../contract/errors.ts'
import type { Input } from '../contract/input.ts'
import type { Endpoint } from '../contract/machine.ts'
import type { Clipboard, Look, Screen, SettleOptions, Watcher } from '../contract/screen.ts'
import type { ScreenSize } from '../contract/spec.ts'
import { RfbScreen } from './rfb/rfb-screen.ts'
import { X11Input } from './x11/x11-input.ts'

/** A desktop whose server was killed comes back within about a second. */
const patienceMs = 3000
const pauseMs = 30

/** A desktop that shows itself by RFB and takes input by X11. */
export class XDesktop implements Screen {
  readonly #dial: (endpoint: Endpoint) => Promise<Duplex>
  readonly #screen: RfbScreen
  #input: Promise<X11Input> | undefined
  #isClosed = false

  constructor(dial: (endpoint: Endpoint) => Promise<Duplex>) {
    this.#dial = dial
    this.#screen = new RfbScreen(() => this.#connect('screen:rfb'))
  }

  async size(): Promise<ScreenSize> {
    return this.#screen.size ?? (await this.#hands()).size()
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

  readonly clipboard: Clipboard = {
    watch: onCopy => this.#screen.watchClipboard(onCopy),
    write: text => this.#screen.offer(text),
  }

  input(): Promise<Input> {
    return this.#hands()
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

  async #connect(endpoint: Endpoint): Promise<Duplex> {
    for (let waitedMs = 0; ; waitedMs += pauseMs) {
      if (this.#isClosed) throw new MachineError('STATE', 'the machine was let go of')
      try {
        return await this.#dial(endpoint)
      } catch (error) {
        if (waitedMs >= patienceMs) throw error
        await pause(pauseMs)
      }
    }
  }
}
