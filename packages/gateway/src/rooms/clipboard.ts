import { MachineError, type Screen } from '@sandglass/machines/contract'

/** The longest text that goes into a machine or comes out. */
const mostCharacters = 512 * 1024

/** The clipboard of a machine, for whoever in the room may read or write it. */
export class RoomClipboard {
  readonly #screen: Screen
  readonly #onFault: (error: unknown) => void
  readonly #watching: Promise<() => void> | undefined
  /** What was put there last: the machine tells of it as of everything else. */
  #written: string | undefined
  /** One at a time, and of several that wait the last. */
  #next: string | undefined
  #isWriting = false

  constructor(screen: Screen, onCopy: (text: string) => void, onFault: (error: unknown) => void) {
    this.#screen = screen
    this.#onFault = onFault
    this.#watching = screen.clipboard?.watch(text => {
      if (text !== this.#written && text.length <= mostCharacters) onCopy(text)
    })
    this.#watching?.catch(error => this.#report(error))
  }

  write(text: string): void {
    if (text.length > mostCharacters) return
    this.#next = text
    if (!this.#isWriting) void this.#work()
  }

  close(): void {
    this.#watching?.then(
      stop => stop(),
      () => {},
    )
  }

  async #work(): Promise<void> {
    this.#isWriting = true
    for (let text = this.#next; text !== undefined; text = this.#next) {
      this.#next = undefined
      this.#written = text
      try {
        await this.#screen.clipboard?.write(text)
      } catch (error) {
        this.#report(error)
      }
    }
    this.#isWriting = false
  }

  /** A machine that goes away takes its clipboard with it. */
  #report(error: unknown): void {
    if (!(error instanceof MachineError)) this.#onFault(error)
  }
}
