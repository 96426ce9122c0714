import { ApiError } from '@sandglass/protocol'
import { Piscina } from 'piscina'
import type { Principal } from '../../auth/principal.ts'
import { FairShare } from '../../db/fair-share.ts'
import type { parseTextToRun, TextToParse } from './parse-text.ts'

const filename = new URL('parse-worker.ts', import.meta.url).href

/** How many large texts an organization can have in progress. Each can take a MiB of memory. */
const maxPerOrganization = 8
/** Clients give up after 10 seconds. */
const waitMs = 8000
const timeoutMs = 20_000

/** Runs in the thread, and returns the serialized result. */
type Work = (signal: AbortSignal) => Promise<Uint8Array<ArrayBuffer>>

/**
 * Parses large texts in a thread of their own, because a MiB takes up to a second, during which the thread that serves
 * requests could do nothing else. One text of an organization is parsed at a time, and organizations take turns.
 */
export class LargeTexts {
  readonly #turns = new FairShare({ perKey: 1, total: 1, waitMs, work: 'large texts' })
  readonly #inProgress = new Map<string, number>()
  #pool: Piscina | undefined

  /** Returns the serialized result. */
  parse(caller: Principal, text: TextToParse): Promise<Buffer> {
    return this.#inTurn(caller, signal => this.#worker().run(text, { signal }))
  }

  /** Does the same for a text whose actions are performed afterwards. */
  parseToRun(caller: Principal, job: Parameters<typeof parseTextToRun>): Promise<Buffer> {
    return this.#inTurn(caller, signal => this.#worker().run(job, { signal, name: 'serializedTextToRun' }))
  }

  async #inTurn(caller: Principal, work: Work): Promise<Buffer> {
    const key = caller.kind === 'operator' ? 'operator' : caller.organization.id
    const count = this.#inProgress.get(key) ?? 0
    if (count >= maxPerOrganization)
      throw new ApiError('rate.LIMITED', {
        message: `This organization is already parsing ${maxPerOrganization} large texts.`,
        retryAfter: 1,
      })
    this.#inProgress.set(key, count + 1)
    try {
      const bytes = await this.#turns.run(key, () => runInTime(work))
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    } finally {
      const left = (this.#inProgress.get(key) ?? 1) - 1
      if (left > 0) this.#inProgress.set(key, left)
      else this.#inProgress.delete(key)
    }
  }

  async close(): Promise<void> {
    await this.#pool?.destroy()
  }

  /** The thread is started when it is needed, and ends when nothing was parsed for a while. */
  #worker(): Piscina {
    this.#pool ??= new Piscina({ filename, minThreads: 0, maxThreads: 1, idleTimeout: 30_000 })
    return this.#pool
  }
}

async function runInTime(work: Work): Promise<Uint8Array<ArrayBuffer>> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    return await work(signal)
  } catch (cause) {
    if (!signal.aborted) throw cause
    throw new ApiError('service.UNAVAILABLE', {
      message: 'The text was not parsed in time.',
      retryAfter: 5,
      cause,
    })
  }
}
