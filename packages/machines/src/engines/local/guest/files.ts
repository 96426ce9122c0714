import { randomBytes } from 'node:crypto'
import { addAbortListener } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  type FileChange,
  type FileInfo,
  type FileOptions,
  type FileRange,
  type Files,
  type FolderPage,
  type ListOptions,
  type MoveOptions,
  maxSmallFile,
  type OpenFile,
  type RemoveOptions,
  type SmallFile,
  type WatchOptions,
  type WriteOptions,
} from '../../../contract/files.ts'
import type { Json } from '../../../contract/handle.ts'
import { readSmallByOpening } from '../../posix/small-files.ts'
import { type AskOptions, ask } from './agent-client.ts'
import { toChange, toInfo } from './file-info.ts'
import { FileSink } from './file-sink.ts'
import { sendWhole, wholeContent } from './file-streams.ts'
import type { Guest, GuestStream } from './guest.ts'
import { openOnHost, reopen } from './opened-file.ts'
import { type AnswerLimits, malformed, parseAnswer, smallAnswer } from './parse-answer.ts'
import { readLine } from './read-line.ts'
import { requirePath, SeveralRequests } from './several-requests.ts'

type Request = Readonly<Record<string, Json>>
interface Paths {
  readonly path: string
  readonly to?: string
}

/** The max number of entries per request to the machine. */
const pageSize = 1000
/** The agent ends a page before it is longer than this, which only happens with very long names. */
const maxPageBytes = 2 * 1024 * 1024
/** An entry has eight fields, each with a name and a value. */
const maxValuesPerEntry = 24
/** `next` is a file name in base64. */
const maxNextLength = 1024

const pageLimits = (limit: number): AnswerLimits => ({
  maxBytes: maxPageBytes + smallAnswer.maxBytes,
  maxValues: smallAnswer.maxValues + limit * maxValuesPerEntry,
})

/** The files of a machine. Each request is served by a process inside it. */
export class AgentFiles implements Files {
  readonly #guest: Guest
  readonly #several: SeveralRequests

  constructor(guest: Guest) {
    this.#guest = guest
    this.#several = new SeveralRequests(guest)
  }

  async #ask(request: Request, paths: Paths, o: FileOptions = {}, more: AskOptions = {}) {
    for (const path of Object.values(paths)) requirePath(path)
    return await ask(
      this.#guest,
      { ...request, ...paths, ...(o.user !== undefined && { user: o.user }) },
      { ...more, signal: o.signal },
    )
  }

  async #askOnce(request: Request, paths: Paths, o?: FileOptions, more?: AskOptions) {
    const { socket, answer } = await this.#ask(request, paths, o, more)
    socket.destroy()
    return answer
  }

  close(): void {
    this.#several.close()
  }

  /** For requests that take as long as there is data. */
  #askLong(request: Request, paths: Paths, o?: FileOptions) {
    return this.#askOnce(request, paths, o, { timeoutMs: this.#guest.timeouts.longAnswerMs })
  }

  async open(path: string, o: FileOptions = {}): Promise<OpenFile> {
    const { socket, answer } = await this.#ask({ op: 'read' }, { path }, o)
    const info = toInfo(answer['info'])
    const opened = await reopen(this.#guest, answer, info.size, 'read')
    if (opened) {
      socket.destroy()
      return openOnHost(opened, info, path, o.signal)
    }
    const read: OpenFile['read'] = ({ offset = 0, length = info.size, steady = false } = {}) => {
      const left = Math.max(0, Math.min(info.size - offset, length))
      socket.end(`${JSON.stringify({ offset, length: left, steady })}\n`)
      return wholeContent(this.#guest, socket, left, path, o.signal)
    }
    return {
      info,
      read,
      sendTo: (sink, range) => pipeline(read(range), sink, { end: false }),
      close: () => socket.destroy(),
    }
  }

  async read(path: string, o: FileOptions & FileRange = {}): Promise<Readable> {
    return (await this.open(path, o)).read(o)
  }

  async write(path: string, content: Readable | Uint8Array, o: WriteOptions = {}): Promise<FileInfo> {
    await this.#guest.assertStorable(o.size ?? (content instanceof Readable ? 0 : content.length))
    const mark = randomBytes(16).toString('hex')
    const request = { op: 'write', end: mark, ...(o.mode !== undefined && { mode: o.mode }) }
    const { socket, answer } = await this.#ask(request, { path }, o)
    using _ = o.signal && addAbortListener(o.signal, () => socket.destroy(o.signal?.reason))
    try {
      const source = content instanceof Readable ? content : Readable.from([content])
      const opened = await reopen(this.#guest, answer, o.size ?? 0, 'write')
      const file = opened && new FileSink(opened, o.consume ?? false)
      return toInfo((await sendWhole(this.#guest, source, mark, file, socket))['info'])
    } finally {
      socket.destroy()
    }
  }

  async create(path: string, content: Uint8Array, o: FileOptions = {}): Promise<FileInfo> {
    await this.#guest.assertStorable(content.length)
    const { answer } = await this.#several.ask({ op: 'create' }, path, { ...o, content })
    return toInfo(answer['info'])
  }

  async readSmall(path: string, o: FileOptions = {}): Promise<SmallFile> {
    try {
      const { answer, content } = await this.#several.ask({ op: 'read', limit: maxSmallFile }, path, o)
      return { info: toInfo(answer['info']), content }
    } catch {
      // The process was killed, or the machine is older than this request. What is wrong with the file is wrong here too.
      return await readSmallByOpening(this, path, o)
    }
  }

  async copy(from: string, to: string, o?: FileOptions): Promise<FileInfo> {
    await this.#guest.assertStorable(0)
    return toInfo((await this.#askLong({ op: 'copy' }, { path: from, to }, o))['info'])
  }

  async stat(path: string, o?: FileOptions): Promise<FileInfo> {
    return toInfo((await this.#askOnce({ op: 'stat' }, { path }, o))['info'])
  }

  async list(path: string, o: ListOptions = {}): Promise<FolderPage> {
    const limit = Math.min(o.limit ?? pageSize, pageSize)
    const request = { op: 'list', limit, ...(o.after !== undefined && { after: o.after }) }
    const { list, next } = await this.#askOnce(request, { path }, o, { limits: pageLimits(limit) })
    if (!Array.isArray(list) || list.length > limit) throw malformed()
    const entries = list.map(toInfo)
    if (next === undefined) return { entries }
    if (typeof next !== 'string' || next.length > maxNextLength) throw malformed()
    return { entries, next }
  }

  async makeDirectory(path: string, o?: FileOptions): Promise<void> {
    await this.#guest.assertStorable(0)
    await this.#askOnce({ op: 'mkdir' }, { path }, o)
  }

  async move(from: string, to: string, o: MoveOptions = {}): Promise<void> {
    await this.#askOnce({ op: 'move', overwrite: o.overwrite ?? true }, { path: from, to }, o)
  }

  async remove(path: string, o: RemoveOptions = {}): Promise<void> {
    if (o.durable === false && (await this.#removed(path, o))) return
    await this.#askLong({ op: 'remove' }, { path }, o)
  }

  async #removed(path: string, o: FileOptions): Promise<boolean> {
    return await this.#several.ask({ op: 'remove' }, path, o).then(
      () => true,
      () => false,
    )
  }

  async watch(path: string, o: WatchOptions = {}): Promise<AsyncIterable<FileChange>> {
    const request = { op: 'changes', recursive: o.recursive ?? false }
    const { socket } = await this.#ask(request, { path }, o)
    const abort = () => socket.destroy()
    o.signal?.addEventListener('abort', abort, { once: true })
    if (o.signal?.aborted) abort()
    return changesOf(socket)
  }
}

/**
 * Yields changes as the machine reports them, no faster than they are consumed. Ends with the folder, the machine or
 * the signal.
 */
async function* changesOf(socket: GuestStream): AsyncGenerator<FileChange> {
  try {
    for (;;) {
      const line = await readLine(socket, smallAnswer.maxBytes).catch(() => undefined)
      const change = line === undefined ? undefined : toChange(parseAnswer(line, smallAnswer))
      if (!change) return
      yield change
    }
  } finally {
    socket.destroy()
  }
}
