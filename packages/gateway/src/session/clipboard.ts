import { MachineError, type Screen } from '@sandglass/machines/contract'

/** The longest text read from a machine, so that it fits into a frame in UTF-8. */
const maxCharacters = 256 * 1024
/** Viewers are notified at most this often, however often the machine copies. */
const minNotifyIntervalMs = 200

/** The clipboard of a machine, for viewers who may read or write it. */
export class RoomClipboard {
  readonly #screen: Screen
  readonly #onFault: (error: unknown) => void
  readonly #watching: Promise<() => void> | undefined
  readonly #onCopy: (text: string) => void
  #copied: string | undefined
  #notifyTimer: NodeJS.Timeout | undefined
  /** The text that a viewer wrote last. The machine may report it back as if it had copied it. */
  #written: string | undefined

  constructor(screen: Screen, onCopy: (text: string) => void, onFault: (error: unknown) => void) {
    this.#screen = screen
    this.#onFault = onFault
    this.#onCopy = onCopy
    this.#watching = screen.clipboard?.watch(text => this.#onCopied(text))
    this.#watching?.catch(error => this.#report(error))
  }

  /** The last text that the machine copied while somebody was in the room. */
  get copied(): string | undefined {
    return this.#copied
  }

  /** Resolves when programs in the machine can paste the text. */
  async write(text: string): Promise<void> {
    this.#written = text
    try {
      await this.#screen.clipboard?.write(text)
    } catch (error) {
      this.#report(error)
    }
  }

  close(): void {
    clearTimeout(this.#notifyTimer)
    this.#watching?.then(
      stop => stop(),
      () => {},
    )
  }

  #onCopied(text: string): void {
    if (text.length > maxCharacters || text === this.#written) return
    this.#written = undefined
    this.#copied = text
    this.#notifyTimer ??= setTimeout(() => {
      this.#notifyTimer = undefined
      if (this.#copied !== undefined) this.#onCopy(this.#copied)
    }, minNotifyIntervalMs)
  }

  /** A machine error is not reported: a machine that goes away takes its clipboard with it. */
  #report(error: unknown): void {
    if (!(error instanceof MachineError)) this.#onFault(error)
  }
}
