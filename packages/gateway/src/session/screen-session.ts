import type { Screen } from '@sandglass/machines/contract'
import type { InputFrame } from '@sandglass/wire/frames'
import { Picture } from '../picture/picture.ts'
import { RoomClipboard } from './clipboard.ts'
import { InputQueue } from './input-queue.ts'
import type { RoomPicture, RoomSession, SessionListener } from './session.ts'

export interface ScreenSessionListener extends SessionListener {
  /** Called when all input has been applied. */
  readonly onIdle?: () => void
}

/** A session with a screen of this process. */
export class ScreenSession implements RoomSession {
  readonly picture: RoomPicture
  readonly #inputQueue: InputQueue
  readonly #clipboard: RoomClipboard

  constructor(screen: Screen, listener: ScreenSessionListener) {
    const { onCopy, onFault, onPictureFault, onFailure, onIdle } = listener
    this.picture = new Picture(screen, { onFailure, onFault: onPictureFault })
    this.#inputQueue = new InputQueue(screen, onFault, onIdle)
    this.#clipboard = new RoomClipboard(screen, onCopy, onFault)
  }

  get isHolding(): boolean {
    return this.#inputQueue.isHolding
  }

  /** Whether some input is not applied yet. */
  get isBusy(): boolean {
    return this.#inputQueue.isBusy
  }

  get copied(): string | undefined {
    return this.#clipboard.copied
  }

  do(input: InputFrame): void {
    this.#inputQueue.do(input)
  }

  paste(text: string): void {
    this.#inputQueue.runInOrder(() => this.#clipboard.write(text))
  }

  release(): Promise<void> {
    return this.#inputQueue.release()
  }

  /** Resolves when every key and button is released. */
  close(): Promise<void> {
    this.picture.close()
    this.#clipboard.close()
    return this.#inputQueue.release()
  }
}
