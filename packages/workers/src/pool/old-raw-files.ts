import { MachineError } from '@sandglass/machines/contract'
import type { WorkerHost } from '../contract/worker-host.ts'
import { WorkerLink } from './worker-link.ts'

interface Reader {
  readonly file: string
  readonly link: Promise<WorkerLink>
  calls: number
  usedAtMs: number
}

/** Each takes as much memory as any worker. */
const maxReaders = 3
const idleMs = 10_000

/**
 * Reads the files of workers that have ended, in workers of their own. A worker reads one file only, since another may have
 * what another tenant has seen.
 */
export class OldRawFiles {
  readonly #host: WorkerHost
  readonly #readers = new Map<string, Reader>()
  readonly #waiting: (() => void)[] = []
  #isClosed = false

  constructor(host: WorkerHost) {
    this.#host = host
  }

  async use<T>(file: string, work: (reader: WorkerLink) => Promise<T>): Promise<T> {
    const reader = await this.#readerOf(file)
    try {
      return await work(await reader.link)
    } catch (error) {
      if (this.#readers.get(file) === reader && (await hasEnded(reader))) this.#readers.delete(file)
      throw error
    } finally {
      reader.calls--
      reader.usedAtMs = performance.now()
      setTimeout(() => this.#endIfIdle(reader), idleMs).unref()
      this.#waiting.shift()?.()
    }
  }

  /** Ends the readers of other files, so that those can be deleted. */
  endExcept(files: readonly string[]): void {
    for (const reader of this.#readers.values()) if (!files.includes(reader.file)) this.#end(reader)
  }

  close(): void {
    this.#isClosed = true
    for (const reader of this.#readers.values()) this.#end(reader)
  }

  async #readerOf(file: string): Promise<Reader> {
    for (;;) {
      if (this.#isClosed) throw new MachineError('STATE', 'the workers were closed')
      const known = this.#readers.get(file)
      if (known) {
        known.calls++
        return known
      }
      if (this.#readers.size < maxReaders) break
      const idle = [...this.#readers.values()].find(({ calls }) => calls === 0)
      if (idle) this.#end(idle)
      else await new Promise<void>(resolve => this.#waiting.push(resolve))
    }
    const link = this.#host.start(file).then(worker => new WorkerLink(worker))
    const reader: Reader = { file, link, calls: 1, usedAtMs: performance.now() }
    this.#readers.set(file, reader)
    return reader
  }

  #endIfIdle(reader: Reader): void {
    if (reader.calls === 0 && performance.now() - reader.usedAtMs >= idleMs) this.#end(reader)
  }

  #end(reader: Reader): void {
    if (this.#readers.get(reader.file) === reader) this.#readers.delete(reader.file)
    reader.link.then(
      link => link.kill(),
      () => {},
    )
  }
}

/** Whether it could not be started, or has ended. */
function hasEnded({ link }: Reader): Promise<boolean> {
  return link.then(
    ({ caller }) => caller.isClosed,
    () => true,
  )
}
