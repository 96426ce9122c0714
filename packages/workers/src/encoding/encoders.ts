import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Frame } from '@sandglass/machines/contract'
import { Piscina } from 'piscina'
import type { PictureFormat } from '../contract/picture-format.ts'
import type {
  DevelopChoice,
  Developed,
  DevelopedRaw,
  Encoded,
  RawTask,
  Small,
  SmallTask,
} from './encoder-thread.ts'
import { EncoderTurns, type Turn } from './encoder-turns.ts'
import { SpareMemory } from './spare-memory.ts'

const filename = new URL('encoder-thread.ts', import.meta.url).href

/** The timeout for one step of one picture, including its wait for a worker. */
const timeoutMs = 30_000

/**
 * Returns the number of worker threads. There can be as many as cores, because their low priority
 * (`yield-processor.ts`) keeps them from delaying answers. sharp works on libuv's thread pool, which the whole
 * process shares (4 threads unless UV_THREADPOOL_SIZE is set). Two of those are left for files, DNS and passwords, so
 * that these never wait for a picture.
 */
function threads(): number {
  const shared = Number(process.env['UV_THREADPOOL_SIZE']) || 4
  return Math.max(1, Math.min(availableParallelism(), shared - 2))
}

/**
 * The worker threads that encode pictures. They are started by `warm`, or by the first picture: the first thread
 * costs some 60 MB and 300 ms, and each further one 40 MB, which a service that takes no pictures does not pay.
 */
export class Encoders {
  /** The memory of encoded frames, for the next ones. */
  readonly spareMemory = new SpareMemory()
  #pool: Piscina | undefined
  readonly #turns = new EncoderTurns(threads())
  readonly #onError: (error: Error) => void

  /**
   * `onError` receives the errors of workers that crashed while idle. If a busy worker crashes, its picture fails.
   */
  constructor(onError: (error: Error) => void) {
    this.#onError = onError
  }

  warm(): void {
    this.#workers()
  }

  /** `tenant` is whose turn the picture takes: tenants take turns, whoever has most pictures. */
  develop(id: string, frame: Frame, choice: DevelopChoice, tenant = ''): Promise<Developed> {
    return this.#run({ id, tenant }, 'develop', { ...frame, ...choice }, [frame.pixels.buffer])
  }

  /** Encodes a frame that waits in a file. */
  developRaw(id: string, task: RawTask, tenant = ''): Promise<DevelopedRaw> {
    return this.#run({ id, tenant }, 'developRaw', task)
  }

  /** Makes a small picture as WebP, without the pointer. */
  developSmall({ width: from, height, pixels }: Frame, width: number, tenant = ''): Promise<Small> {
    const task: SmallTask = { frame: { width: from, height, pixels }, width }
    return this.#run({ id: randomUUID(), tenant }, 'developSmall', task, [pixels.buffer])
  }

  /** Call this when somebody fetches a picture that is being encoded, or will be in a moment. */
  prioritize(id: string): void {
    this.#turns.prioritize(id)
  }

  /** Has priority, because somebody always waits for the result. */
  transcode(body: Uint8Array<ArrayBuffer>, to: PictureFormat, tenant = ''): Promise<Encoded> {
    const id = randomUUID()
    this.#turns.prioritize(id)
    return this.#run({ id, tenant }, 'transcode', { body, to })
  }

  async close(): Promise<void> {
    await this.#pool?.destroy()
  }

  /** `name` is an export of encoder-thread.ts. The timeout also applies if no worker can be started at all. */
  #run<T>(turn: Turn, name: string, task: unknown, transferList: ArrayBuffer[] = []): Promise<T> {
    const signal = AbortSignal.timeout(timeoutMs)
    return this.#turns.during(turn, () => this.#workers().run(task, { name, transferList, signal }))
  }

  #workers(): Piscina {
    if (this.#pool) return this.#pool
    const count = threads()
    const pool = new Piscina({ filename, minThreads: count, maxThreads: count })
    this.#pool = pool.on('error', this.#onError)
    return pool
  }
}
