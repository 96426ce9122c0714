import { MachineError, type Screen } from '@sandglass/machines/contract'

/** The longest text that comes out of a machine: it fits into a frame in UTF-8. */
const maxCharacters = 256 * 1024
/** However often a machine copies, viewers are told so often at the most. */
const minNotifyIntervalMs = 200

/** The clipboard of a machine, for whoever in the room may read or write it. */
export class RoomClipboard {
  readonly #screen: Screen
  readonly #onFault: (error: unknown) => void
  readonly #watching: Promise<() => void> | undefined
  readonly #onCopy: (text: string) => void
  /** What the machine copied last. */
  #copied: string | undefined
  #notifyTimer: NodeJS.Timeout | undefined
  /** What was put there last, of which the machine may tell as of its own. */
  #written: string | undefined

  constructor(screen: Screen, onCopy: (text: string) => void, onFault: (error: unknown) => void) {
    this.#screen = screen
    this.#onFault = onFault
    this.#onCopy = onCopy
    this.#watching = screen.clipboard?.watch(text => this.#onCopied(text))
    this.#watching?.catch(error => this.#report(error))
  }

  /** What the machine copied last, where it did since somebody is here. */
  get copied(): string | undefined {
    return this.#copied
  }

  /** Settles when programs of the machine can paste it. */
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

  /** A machine that goes away takes its clipboard with it. */
  #report(error: unknown): void {
    if (!(error instanceof MachineError)) this.#onFault(error)
  }
}
