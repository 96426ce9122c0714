import type { OpenFile } from '@sandglass/machines/contract'

/** A client reads its picture at once. One that has not by then opens the file anew. */
const keptMs = 250

interface Opened {
  readonly path: string
  readonly file: OpenFile
  readonly timer: NodeJS.Timeout
}

/** Files that are still open in their machines since their pictures were written. The content is read when the client asks for it. */
export class OpenedPictures {
  readonly #bySandbox = new Map<string, Opened>()

  keep(sandboxId: string, path: string, file: OpenFile): void {
    this.#close(sandboxId)
    const timer = setTimeout(() => this.#close(sandboxId), keptMs).unref()
    this.#bySandbox.set(sandboxId, { path, file, timer })
  }

  /**
   * Returns the file if that is what the next call into the sandbox asks for. Any other call may change what the path leads to, so
   * the file is closed.
   */
  take(sandboxId: string, path?: string): OpenFile | undefined {
    const opened = this.#bySandbox.get(sandboxId)
    if (opened === undefined || opened.path !== path) return void this.#close(sandboxId)
    clearTimeout(opened.timer)
    this.#bySandbox.delete(sandboxId)
    return opened.file
  }

  #close(sandboxId: string): void {
    const opened = this.#bySandbox.get(sandboxId)
    if (!opened) return
    clearTimeout(opened.timer)
    this.#bySandbox.delete(sandboxId)
    opened.file.close()
  }
}
