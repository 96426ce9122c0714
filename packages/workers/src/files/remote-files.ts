import { addAbortSignal, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type {
  FileChange,
  FileInfo,
  FileOptions,
  FileRange,
  Files,
  FolderPage,
  ListOptions,
  MoveOptions,
  OpenFile,
  RemoveOptions,
  SmallFile,
  WatchOptions,
  WriteOptions,
} from '@sandglass/machines/contract'
import type { Caller } from '@sandglass/rpc'
import { only } from '../channels.ts'
import { unreachable } from '../errors.ts'
import { ConsumingSink } from './consuming-sink.ts'
import type { fileMethods } from './methods.ts'
import { RemoteOpenFile } from './remote-open-file.ts'
import { type Part, pageSize } from './schemas.ts'
import { watched } from './watched.ts'

/** The files of a machine whose worker is another process. */
export class RemoteFiles implements Files {
  readonly #caller: Caller<typeof fileMethods>
  readonly #machine: string

  constructor(caller: Caller<typeof fileMethods>, machine: string) {
    this.#caller = caller
    this.#machine = machine
  }

  async open(path: string, o: FileOptions = {}): Promise<OpenFile> {
    return await this.#open(path, o)
  }

  async read(path: string, o: FileOptions & FileRange = {}): Promise<Readable> {
    const { offset, length } = o
    return (await this.#open(path, o, { offset, length })).read()
  }

  /** With a part, the worker begins to send it at once. */
  async #open(path: string, { user, signal }: FileOptions, part?: Part): Promise<RemoteOpenFile> {
    const args = { machine: this.#machine, path, user, part }
    const { channels, answer } = this.#caller.start('files.open', args, { signal })
    const content = only(channels)
    if (part) content.end()
    const { value: info } = await answer
    if (signal) addAbortSignal(signal, content)
    return new RemoteOpenFile(info, content, part)
  }

  async write(path: string, content: Readable | Uint8Array, o: WriteOptions = {}): Promise<FileInfo> {
    const { user, mode, size, signal } = o
    const args = { machine: this.#machine, path, user, mode, size }
    const { channels, answer } = this.#caller.start('files.write', args, { signal })
    const source = content instanceof Readable ? content : Readable.from([content])
    const channel = only(channels).resume()
    let sourceError: unknown
    source.once('error', error => {
      if (!channel.destroyed) sourceError = error
    })
    const sending = pipeline(
      source,
      o.consume ? new ConsumingSink(channel) : channel,
      signal ? { signal } : {},
    )
    try {
      // A refusal comes before everything was sent, and then the rest cannot be sent.
      const [{ value }] = await Promise.all([answer, sending])
      return value
    } catch (error) {
      // Report a failure only when the worker has abandoned the file, so that its space is free again.
      const [answered] = await Promise.allSettled([answer, sending])
      signal?.throwIfAborted()
      // If the content itself did not fail, the channel was closed because of what the answer says.
      if (sourceError === undefined && answered.status === 'rejected') throw answered.reason
      throw error
    }
  }

  async create(path: string, bytes: Uint8Array, { user, signal }: FileOptions = {}): Promise<FileInfo> {
    return await this.#caller.call('files.create', { machine: this.#machine, path, user }, { signal, bytes })
  }

  async readSmall(path: string, { user, signal }: FileOptions = {}): Promise<SmallFile> {
    const args = { machine: this.#machine, path, user }
    const { value, bytes } = await this.#caller.start('files.readSmall', args, { signal }).answer
    const { info, isWhole } = value
    if (!isWhole) return { info, content: undefined }
    if (bytes.length === info.size) return { info, content: bytes }
    this.#caller.close()
    throw unreachable(new Error(`the worker answered with ${bytes.length} bytes of ${info.size}`))
  }

  async copy(from: string, to: string, { user, signal }: FileOptions = {}): Promise<FileInfo> {
    return await this.#caller.call('files.copy', { machine: this.#machine, from, to, user }, { signal })
  }

  async stat(path: string, { user, signal }: FileOptions = {}): Promise<FileInfo> {
    return await this.#caller.call('files.stat', { machine: this.#machine, path, user }, { signal })
  }

  async list(path: string, { user, after, signal, ...o }: ListOptions = {}): Promise<FolderPage> {
    const limit = Math.min(o.limit ?? pageSize, pageSize)
    const args = { machine: this.#machine, path, user, limit, after }
    const page = await this.#caller.call('files.list', args, { signal })
    if (page.entries.length <= limit) return page
    this.#caller.close()
    throw unreachable(new Error(`the worker answered with more than ${limit} entries`))
  }

  async makeDirectory(path: string, { user, signal }: FileOptions = {}): Promise<void> {
    await this.#caller.call('files.makeDirectory', { machine: this.#machine, path, user }, { signal })
  }

  async move(from: string, to: string, { user, overwrite, signal }: MoveOptions = {}): Promise<void> {
    const args = { machine: this.#machine, from, to, user, overwrite }
    await this.#caller.call('files.move', args, { signal })
  }

  async remove(path: string, { user, durable, signal }: RemoveOptions = {}): Promise<void> {
    await this.#caller.call('files.remove', { machine: this.#machine, path, user, durable }, { signal })
  }

  async watch(path: string, o: WatchOptions = {}): Promise<AsyncIterable<FileChange>> {
    const { user, recursive, signal } = o
    const args = { machine: this.#machine, path, user, recursive }
    const { channels, answer } = this.#caller.start('files.watch', args, { signal })
    const channel = only(channels)
    channel.end()
    await answer
    return watched(this.#caller, channel, signal)
  }
}
