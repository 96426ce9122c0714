import type { SandboxFile } from '@sandglass/protocol'
import type { Bytes } from '../bytes.ts'
import type { CallOptions } from '../call-options.ts'
import { ConnectionError, NotFoundError } from '../errors.ts'
import type { BytesInput, Output } from '../operations.ts'
import { type FileChange, type WatchOptions, watchFolder } from './file-watch.ts'
import { type SyncOptions, type SyncResult, syncFolder } from './sync-folder.ts'
import type { Target } from './target.ts'

export interface ReadOptions extends CallOptions {
  /** The first byte, counted from 0. */
  readonly start?: number | undefined
  /** The byte after the last one. */
  readonly end?: number | undefined
}

export interface WriteOptions extends CallOptions {
  /** Permission bits. 0o644 by default. */
  readonly mode?: number | undefined
}

export interface MoveOptions extends CallOptions {
  /** Whether a file of the new name is replaced. Otherwise it is an error. */
  readonly overwrite?: boolean | undefined
}

/** What became of each uploaded file. */
export type UploadResults = Awaited<Output<'uploadSandboxFiles'>>['results']

/** The files of a sandbox. A path is absolute, or relative to the home of the user. Names can contain anything but NUL and `/`. */
export class Files {
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  /**
   * Reads a file, or a part of it.
   *
   * @example
   * const bytes = await box.files.read('Desktop/report.pdf')
   * const head = await box.files.read('/etc/os-release', { end: 1024 })
   */
  async read(path: string, options: ReadOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    const content = await this.#open(path, options)
    return whole(content.bytes(), options)
  }

  /**
   * Reads a text file.
   *
   * @example
   * const text = await box.files.readText('notes.txt')
   */
  async readText(path: string, options: ReadOptions = {}): Promise<string> {
    const content = await this.#open(path, options)
    return whole(content.text(), options)
  }

  /**
   * Reads a file as it arrives, for files of any size. Cancel the stream to stop.
   *
   * @example
   * for await (const chunk of await box.files.readStream('video.mp4')) console.log(chunk.length)
   */
  async readStream(
    path: string,
    options: ReadOptions = {},
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    return (await this.#open(path, options)).stream
  }

  /**
   * Writes a file, with the folders that it needs. It appears under its name only when it is complete. A stream of any size can be
   * written from Node, Deno and Bun; browsers mostly cannot send streams, and take a `Blob`.
   *
   * @example
   * await box.files.write('Desktop/hello.txt', 'Hello!')
   * await box.files.write('bin/tool', bytes, { mode: 0o755 })
   */
  write(path: string, data: BytesInput, options: WriteOptions = {}): Promise<SandboxFile> {
    const { client, sandboxId } = this.#target
    const { mode } = options
    const bits = mode === undefined ? {} : { mode: mode.toString(8).padStart(3, '0') }
    return client.writeSandboxFile({ sandboxId, path, ...bits, body: data }, options)
  }

  /**
   * Lists a folder, sorted by name.
   *
   * @example
   * for await (const { name, size } of box.files.list('Desktop')) console.log(name, size)
   */
  list(path = '.', options: CallOptions = {}): AsyncGenerator<SandboxFile> {
    const { client, sandboxId } = this.#target
    return client.all('listSandboxFiles', { sandboxId, path }, options)
  }

  /**
   * Describes a file or folder. A symlink is described itself.
   *
   * @example
   * const { size, modifiedAt } = await box.files.stat('Desktop/report.pdf')
   */
  stat(path: string, options: CallOptions = {}): Promise<SandboxFile> {
    const { client, sandboxId } = this.#target
    return client.statSandboxFile({ sandboxId, path }, options)
  }

  /**
   * Says whether there is a file or folder of this name.
   *
   * @example
   * if (await box.files.exists('done')) console.log('done')
   */
  async exists(path: string, options: CallOptions = {}): Promise<boolean> {
    try {
      await this.stat(path, options)
      return true
    } catch (error) {
      if (error instanceof NotFoundError && error.code === 'file.NOT_FOUND') return false
      throw error
    }
  }

  /**
   * Removes a file, or a folder with everything in it. What does not exist counts as removed.
   *
   * @example
   * await box.files.remove('Downloads/old')
   */
  async remove(path: string, options: CallOptions = {}): Promise<void> {
    const { client, sandboxId } = this.#target
    await client.removeSandboxFile({ sandboxId, path }, options)
  }

  /**
   * Renames or moves a file or folder.
   *
   * @example
   * await box.files.move('draft.txt', 'final.txt', { overwrite: true })
   */
  async move(from: string, to: string, options: MoveOptions = {}): Promise<void> {
    const { client, sandboxId } = this.#target
    const { overwrite = false } = options
    await client.moveSandboxFile({ sandboxId, body: { from, to, overwrite } }, options)
  }

  /**
   * Makes a folder and those above it.
   *
   * @example
   * await box.files.makeFolder('projects/new')
   */
  async makeFolder(path: string, options: CallOptions = {}): Promise<void> {
    const { client, sandboxId } = this.#target
    await client.makeSandboxFolder({ sandboxId, body: { path } }, options)
  }

  /**
   * Uploads the files of a form into a folder, each under its own name. A failure does not stop the others.
   *
   * @example
   * const form = new FormData()
   * form.append('file', new Blob(['Hello!']), 'hello.txt')
   * await box.files.upload(form, 'Desktop')
   */
  async upload(form: FormData, folder = '.', options: CallOptions = {}): Promise<UploadResults> {
    const { client, sandboxId } = this.#target
    return (await client.uploadSandboxFiles({ sandboxId, path: folder, body: form }, options)).results
  }

  /**
   * Reports what changes in a folder, until the loop ends or the folder is gone. `overflow` says that some changes were lost, also
   * because the connection was: list the folder then.
   *
   * @example
   * for await (const { change, path } of box.files.watch('Downloads')) console.log(change, path)
   */
  watch(path = '.', options: WatchOptions = {}): AsyncGenerator<FileChange> {
    return watchFolder(this.#target, path, options)
  }

  /**
   * Copies a folder of this computer into the sandbox: only what is new or changed, by size and time. In Node, Deno and Bun.
   *
   * @example
   * const { uploaded } = await box.files.sync('./site', 'site', { remove: true })
   */
  sync(localFolder: string, folder: string, options: SyncOptions = {}): Promise<SyncResult> {
    return syncFolder(this.#target, localFolder, folder, options)
  }

  #open(path: string, { start = 0, end, ...call }: ReadOptions): Promise<Bytes> {
    const { client, sandboxId } = this.#target
    const isPart = start > 0 || end !== undefined
    const range = { range: `bytes=${start}-${end === undefined ? '' : end - 1}` }
    const headers = isPart ? { ...call.headers, ...range } : call.headers
    return client.readSandboxFile({ sandboxId, path }, { ...call, headers })
  }
}

/** A body that ends too early fails in the words of the engine. */
async function whole<T>(content: Promise<T>, { signal }: CallOptions): Promise<T> {
  try {
    return await content
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    throw new ConnectionError('The connection was lost before the file was complete.', {
      code: 'client.DISCONNECTED',
      cause,
    })
  }
}
