import { randomUUID } from 'node:crypto'
import type { FileChange } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'

/** The maximum number of watches per sandbox whose changes are kept until they are fetched. */
const maxWatchers = 32
/** The maximum number of changes that are kept per watch. Those that come later are lost, which is reported as a change itself. */
const maxChanges = 1000
/** A watch whose changes nobody has fetched for this long ends. */
const idleMs = 600_000

interface Watcher {
  readonly changes: FileChange[]
  readonly timer: NodeJS.Timeout
  readonly stop: () => void
}

/** Watches of files whose changes are kept until a caller fetches them, in the process that has the machine. */
export class FileWatchers {
  readonly #bySandbox = new Map<string, Map<string, Watcher>>()

  /** Keeps the changes of a watch, and returns its id. */
  add(sandboxId: string, changes: AsyncIterable<FileChange>, stop: () => void): string {
    const watchers = this.#bySandbox.get(sandboxId) ?? new Map<string, Watcher>()
    if (watchers.size >= maxWatchers) {
      stop()
      throw new ApiError('rate.LIMITED', { message: `A sandbox can have at most ${maxWatchers} watchers.` })
    }
    const id = randomUUID()
    const remove = () => this.remove(sandboxId, id)
    const watcher = { changes: [], stop, timer: setTimeout(remove, idleMs).unref() }
    this.#bySandbox.set(sandboxId, watchers.set(id, watcher))
    collect(changes, watcher.changes).then(remove, remove)
    return id
  }

  /** Returns the changes since the last time. */
  take(sandboxId: string, id: string): FileChange[] {
    const watcher = this.#bySandbox.get(sandboxId)?.get(id)
    if (!watcher) throw new ApiError('file.NOT_FOUND', { message: 'There is no such watcher.' })
    watcher.timer.refresh()
    return watcher.changes.splice(0)
  }

  remove(sandboxId: string, id: string): void {
    const watchers = this.#bySandbox.get(sandboxId)
    const watcher = watchers?.get(id)
    if (!watchers || !watcher) return
    watchers.delete(id)
    if (watchers.size === 0) this.#bySandbox.delete(sandboxId)
    clearTimeout(watcher.timer)
    watcher.stop()
  }

  /** Ends every watch. */
  close(): void {
    for (const [sandboxId, watchers] of this.#bySandbox)
      for (const id of watchers.keys()) this.remove(sandboxId, id)
  }
}

async function collect(changes: AsyncIterable<FileChange>, kept: FileChange[]): Promise<void> {
  for await (const change of changes) {
    if (kept.length < maxChanges) kept.push(change)
    else if (kept.at(-1)?.change !== 'overflow') kept.push({ change: 'overflow' })
  }
}
