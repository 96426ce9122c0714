import { MachineError } from '../../contract/errors.ts'
import { androidKeys, keysymsOf } from './android-keys.ts'
import type { Device } from './device.ts'
import { enterText } from './text-entry.ts'

type Work = Parameters<Device['use']>[0]

/**
 * Applies input to a device in order. Callers do not wait for it; they learn of a failure from `taken`. Text that still
 * waits is joined, so that typing keeps up with a person even if the device takes a while for each text.
 */
export class DeviceQueue {
  readonly #device: Device
  #last: Promise<unknown> = Promise.resolve()
  #failure: unknown
  /** Text at the end of the queue that more text can be added to. */
  #waiting: { text: string } | undefined

  constructor(device: Device) {
    this.#device = device
  }

  do(work: Work): void {
    this.#waiting = undefined
    this.#append(work)
  }

  type(text: string): void {
    // A device may be able to type ASCII only; what it cannot type must not spoil what it can.
    if (this.#waiting && isAscii(this.#waiting.text) === isAscii(text)) {
      this.#waiting.text += text
      return
    }
    const waiting = { text }
    this.#waiting = waiting
    this.#append(async session => {
      if (this.#waiting === waiting) this.#waiting = undefined
      await typeOrPress(session, waiting.text)
    })
  }

  /** Resolves when all input so far was applied. */
  async done(): Promise<void> {
    await this.#last
  }

  /** Waits like `done`, and throws the first failure since the last call. */
  async taken(): Promise<void> {
    await this.#last
    const failure = this.#failure
    this.#failure = undefined
    if (failure) throw failure
  }

  #append(work: Work): void {
    this.#last = this.#last
      .then(() => this.#device.use(work))
      .catch(error => {
        this.#failure ??= error
      })
  }
}

/** Presses the keys of the characters if no text field takes them, for apps that react to keys. */
async function typeOrPress({ shell, injector }: Parameters<Work>[0], text: string): Promise<void> {
  try {
    await enterText(shell, text)
  } catch (error) {
    const keys = keysymsOf(text).map(keysym => androidKeys(keysym))
    if (!(error instanceof MachineError && error.code === 'INVALID') || keys.includes(undefined)) throw error
    for (const key of keys) await injector.key(key?.at(-1) ?? '')
  }
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}
