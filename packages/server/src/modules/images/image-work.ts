import { setTimeout as delay } from 'node:timers/promises'
import { StepFailure } from './builds/step-failure.ts'

/** An hour is generous: most builds take minutes. */
export const maxBuildMs = 60 * 60_000

/** The work on new images in this process. It ends with its caller, after a time limit, and with the service. */
export class ImageWork {
  readonly #closing = new AbortController()
  /** The work in progress, each with the id of the image. */
  readonly #running = new Map<Promise<unknown>, string>()
  /** What ends the work on each image. */
  readonly #cancels = new Map<string, () => void>()

  /** The images that are being made. */
  get imageIds(): readonly string[] {
    return [...this.#running.values()]
  }

  /** Runs work with a signal that says when it must end, and why. `caller` aborts when the caller has disconnected. */
  async run<T>(imageId: string, caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ending = new AbortController()
    const end = (reason: string) => () => ending.abort(new StepFailure(reason))
    const onLeave = end('The caller disconnected, which cancels it.')
    const onClose = end('The service was stopped. Ask for it again.')
    const over = new AbortController()
    caller.addEventListener('abort', onLeave, { signal: over.signal })
    this.#closing.signal.addEventListener('abort', onClose, { signal: over.signal })
    delay(maxBuildMs, undefined, { ref: false, signal: over.signal }).then(
      end(`It took longer than ${maxBuildMs / 60_000} minutes.`),
      () => {},
    )
    if (caller.aborted) onLeave()
    if (this.#closing.signal.aborted) onClose()
    const running = work(ending.signal)
    this.#running.set(running, imageId)
    this.#cancels.set(imageId, end('The image was deleted, which cancels it.'))
    try {
      return await running
    } finally {
      over.abort()
      this.#running.delete(running)
      this.#cancels.delete(imageId)
    }
  }

  /** Ends the work on an image that was deleted. Its caller may have disconnected long ago. */
  cancel(imageId: string): void {
    this.#cancels.get(imageId)?.()
  }

  /** Ends all work, and waits until that has been recorded. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled(this.#running.keys())
  }
}
