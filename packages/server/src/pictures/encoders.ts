import { availableParallelism } from 'node:os'
import type { Frame } from '@sandglass/machines/contract'
import { Piscina } from 'piscina'
import type { PictureFormat } from './format.ts'
import type { DevelopChoice, Developed, Encoded } from './worker.ts'

const filename = new URL('worker.ts', import.meta.url).href

/** For one step of one picture, with its wait for a worker. */
const longestMs = 30_000

/**
 * sharp works on libuv's threads, which the whole process shares (4 unless UV_THREADPOOL_SIZE says otherwise): two of
 * them are left to files, names and passwords, so that these never wait for a picture. A core is left to the service,
 * so that an answer with a picture's URL does not wait for the encoding of those before it.
 */
function threads(): number {
  const shared = Number(process.env['UV_THREADPOOL_SIZE']) || 4
  return Math.max(1, Math.min(availableParallelism() - 1, shared - 2))
}

/**
 * The worker threads that encode pictures. They are started by `warm`, or by the first picture: the first costs some
 * 60 MB and 300 ms, each further one 40 MB, which a service that takes no pictures does not pay.
 */
export class Encoders {
  #pool: Piscina | undefined
  readonly #onError: (error: Error) => void

  /** Hears of workers that fell while they had nothing to do; otherwise their picture fails. */
  constructor(onError: (error: Error) => void) {
    this.#onError = onError
  }

  warm(): void {
    this.#workers()
  }

  develop(frame: Frame, choice: DevelopChoice): Promise<Developed> {
    return this.#run('develop', { ...frame, ...choice }, [frame.pixels.buffer])
  }

  transcode(body: Uint8Array<ArrayBuffer>, to: PictureFormat): Promise<Encoded> {
    return this.#run('transcode', { body, to })
  }

  async close(): Promise<void> {
    await this.#pool?.destroy()
  }

  /** `name` is what the worker exports. What takes too long fails, also where no worker can be started at all. */
  #run<T>(name: string, task: unknown, transferList: ArrayBuffer[] = []): Promise<T> {
    const signal = AbortSignal.timeout(longestMs)
    return this.#workers().run(task, { name, transferList, signal })
  }

  #workers(): Piscina {
    if (this.#pool) return this.#pool
    const count = threads()
    const pool = new Piscina({ filename, minThreads: count, maxThreads: count })
    this.#pool = pool.on('error', this.#onError)
    return pool
  }
}
