import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Frame } from '@sandglass/machines/contract'
import { Piscina } from 'piscina'
import { EncoderTurns } from './encoder-turns.ts'
import type { PictureFormat } from './format.ts'
import type { DevelopChoice, Developed, Encoded } from './worker.ts'

const filename = new URL('worker.ts', import.meta.url).href

/** For one step of one picture, with its wait for a worker. */
const longestMs = 30_000

/**
 * As many as there are cores: their priority is low, so that an answer with a picture's URL does not wait for the encoding
 * of those before it (`yield-processor.ts`). sharp works on libuv's threads, which the whole process shares (4 unless
 * UV_THREADPOOL_SIZE says otherwise): two of them are left to files, names and passwords, so that these never wait for a
 * picture.
 */
function threads(): number {
  const shared = Number(process.env['UV_THREADPOOL_SIZE']) || 4
  return Math.max(1, Math.min(availableParallelism(), shared - 2))
}

/**
 * The worker threads that encode pictures. They are started by `warm`, or by the first picture: the first costs some
 * 60 MB and 300 ms, each further one 40 MB, which a service that takes no pictures does not pay.
 */
export class Encoders {
  #pool: Piscina | undefined
  readonly #turns = new EncoderTurns(threads())
  readonly #onError: (error: Error) => void

  /** Hears of workers that fell while they had nothing to do; otherwise their picture fails. */
  constructor(onError: (error: Error) => void) {
    this.#onError = onError
  }

  warm(): void {
    this.#workers()
  }

  develop(id: string, frame: Frame, choice: DevelopChoice): Promise<Developed> {
    return this.#run(id, 'develop', { ...frame, ...choice }, [frame.pixels.buffer])
  }

  /** Somebody fetches a picture that is being developed, or will be in a moment. */
  prioritize(id: string): void {
    this.#turns.prioritize(id)
  }

  /** Somebody waits for this one in any case. */
  transcode(body: Uint8Array<ArrayBuffer>, to: PictureFormat): Promise<Encoded> {
    const id = randomUUID()
    this.#turns.prioritize(id)
    return this.#run(id, 'transcode', { body, to })
  }

  async close(): Promise<void> {
    await this.#pool?.destroy()
  }

  /** `name` is what the worker exports. What takes too long fails, also where no worker can be started at all. */
  #run<T>(id: string, name: string, task: unknown, transferList: ArrayBuffer[] = []): Promise<T> {
    const signal = AbortSignal.timeout(longestMs)
    return this.#turns.during(id, () => this.#workers().run(task, { name, transferList, signal }))
  }

  #workers(): Piscina {
    if (this.#pool) return this.#pool
    const count = threads()
    const pool = new Piscina({ filename, minThreads: count, maxThreads: count })
    this.#pool = pool.on('error', this.#onError)
    return pool
  }
}
