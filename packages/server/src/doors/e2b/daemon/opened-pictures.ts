import type { Files, OpenFile } from '@sandglass/machines/contract'

/** A client reads its picture at once. One that has not by then opens the file anew. */
const keptMs = 250

interface Opened {
  readonly path: string
  readonly file: Promise<OpenFile | undefined>
  readonly timer: NodeJS.Timeout
}

/**
 * Files that were opened in their machines as soon as they had their pictures, while the client was still told of it. The content is
 * read when the client asks for it.
 */
export class OpenedPictures {
  readonly #bySandbox = new Map<string, Opened>()

  open(sandboxId: string, path: string, files: Pick<Files, 'open'>): void {
    this.#close(sandboxId)
    const file = files.open(path).catch(() => undefined)
    const timer = setTimeout(() => this.#close(sandboxId), keptMs).unref()
    this.#bySandbox.set(sandboxId, { path, file, timer })
  }

  /**
   * Returns the file if that is what the next call into the sandbox asks for. Any other call may change what the path leads to, so
   * the file is closed.
   */
  take(sandboxId: string, path?: string): Promise<OpenFile | undefined> | undefined {
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
    void opened.file.then(file => file?.close())
  }
}
