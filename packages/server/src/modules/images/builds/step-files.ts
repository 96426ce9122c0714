import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { ApiError, type BuildStep } from '@sandglass/protocol'
import type { Outbound } from '../../../outbound/outbound.ts'
import type { Spool, Spooled } from '../../../spool.ts'
import type { KnownStep } from './chain.ts'
import { StepFailure } from './step-failure.ts'
import type { WorkStep } from './work-step.ts'

const MiB = 1024 * 1024
export const maxFileMiB = 256

/** The content of the files that the steps of a build write. Dispose of it after the build. */
export class StepFiles implements AsyncDisposable {
  readonly #spool: Spool
  readonly #outbound: Outbound
  readonly #fetched = new Map<number, Spooled>()

  constructor(spool: Spool, outbound: Outbound) {
    this.#spool = spool
    this.#outbound = outbound
  }

  /** Returns a step with the hash of its content, which is fetched if it comes from a URL. */
  async know(step: WorkStep, at: number, signal: AbortSignal): Promise<KnownStep> {
    if (!('file' in step)) return step
    const { path } = step.file
    if ('content' in step.file) {
      const sha256 = createHash('sha256').update(step.file.content).digest('hex')
      return { file: { path, sha256 } }
    }
    const { sha256 } = await this.#fetch(step.file.url, at, signal)
    return { file: { path, sha256 } }
  }

  contentOf(file: Extract<BuildStep, { file: unknown }>['file'], at: number): Readable | Buffer {
    if ('content' in file) return Buffer.from(file.content)
    return this.#fetched.get(at)?.read() ?? Readable.from([])
  }

  async #fetch(url: string, at: number, signal: AbortSignal): Promise<Spooled> {
    try {
      const { body } = await this.#outbound.get(url, { signal })
      const tooLarge = () => new StepFailure(`The file at the URL is larger than ${maxFileMiB} MiB.`)
      const spooled = await this.#spool.store(body, { maxBytes: maxFileMiB * MiB, tooLarge, signal })
      this.#fetched.set(at, spooled)
      return spooled
    } catch (cause) {
      signal.throwIfAborted()
      if (cause instanceof StepFailure) throw cause
      const reason = cause instanceof ApiError ? cause.message : 'The file could not be fetched from the URL.'
      throw new StepFailure(reason, { cause })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const spooled of this.#fetched.values()) await spooled[Symbol.asyncDispose]()
    this.#fetched.clear()
  }
}
