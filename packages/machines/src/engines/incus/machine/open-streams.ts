import type { Duplex } from 'node:stream'
import { unreachable } from '../client/errors.ts'
import type { ExecSession } from '../client/exec/index.ts'

const lookEveryMs = 1000
/**
 * Nothing comes back for this long only from a machine that cannot be reached, because the end of its channel is asked all the time whether it
 * is there. The member that carries a stream would hold it for much longer.
 */
const maxUnansweredMs = 11_000

/** The streams to machines that are open, and their ends. */
export class OpenStreams {
  readonly #isStill: (id: string) => boolean
  readonly #streams = new Map<Duplex, { readonly id: string; readonly session: ExecSession }>()
  readonly #timer: NodeJS.Timeout

  /** @param isStill whether a machine is paused, so that it answers nothing */
  constructor(isStill: (id: string) => boolean) {
    this.#isStill = isStill
    this.#timer = setInterval(() => this.#look(), lookEveryMs).unref()
  }

  add(id: string, session: ExecSession): void {
    const { stream } = session
    this.#streams.set(stream, { id, session })
    stream.once('close', () => this.#streams.delete(stream))
  }

  /** Ends streams. Whoever has one of them finds out how its machine is. */
  end(isOver: (id: string) => boolean): void {
    for (const [stream, { id }] of this.#streams) if (isOver(id)) stream.destroy()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    for (const [stream, { id, session }] of this.#streams)
      if (this.#isStill(id)) session.excuse()
      else if (session.unansweredMs > maxUnansweredMs)
        stream.destroy(unreachable(`The machine ${id} does not answer.`))
  }
}
