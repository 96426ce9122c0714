import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { SandglassError } from '@sandglass/client'
import type { Context } from './context.ts'

/** How often it is tried again. The service says how long to wait; an image that is ready should not wait for that. */
const everyMs = 5000

export interface CreateCall {
  readonly idempotencyKey?: string
  readonly retries?: number
}

/**
 * Creates something that the service may not be able to create yet, because it is building the image for it. If that is to be waited
 * for, it says on stderr what the service says meanwhile, and Ctrl-C ends it. Everything else that is wrong is thrown.
 */
export async function whenPrepared<T>(
  context: Context,
  isWaiting: boolean,
  create: (call: CreateCall) => Promise<T>,
): Promise<T> {
  const { signal } = context
  // A repetition after a lost answer must not create a second one.
  const idempotencyKey = randomUUID()
  const waiting = new WaitingLine(context)
  try {
    for (;;) {
      signal.throwIfAborted()
      // The retries of the client would wait without a word.
      const made = await create({ idempotencyKey, retries: 0 }).catch((error: unknown) => {
        if (!isNotReady(error)) return create({ idempotencyKey })
        const { preparing } = error.fields
        // What is not being prepared needs somebody to do something.
        if (!isWaiting || typeof preparing !== 'string') throw error
        waiting.show(preparing)
        return undefined
      })
      if (made !== undefined) return made
      await pause(everyMs, undefined, { signal })
    }
  } finally {
    waiting.end()
  }
}

/** The library is loaded only by commands that call the service, so its classes are not at hand here. */
function isNotReady(error: unknown): error is SandglassError {
  return error instanceof Error && 'code' in error && error.code === 'machine.NOT_READY' && 'fields' in error
}

/** A line that is replaced on a terminal, and printed again elsewhere when it has changed. */
class WaitingLine {
  readonly #context: Context
  #shown = ''

  constructor(context: Context) {
    this.#context = context
  }

  show(text: string): void {
    const { stderr, options } = this.#context
    if (options.quiet || text === this.#shown) return
    if (stderr.isTTY) stderr.write(`\r\x1b[K${text.slice(0, (stderr.columns || 80) - 1)}`)
    else stderr.write(`${text}\n`)
    this.#shown = text
  }

  end(): void {
    const { stderr } = this.#context
    if (this.#shown !== '' && stderr.isTTY) stderr.write('\r\x1b[K')
  }
}
