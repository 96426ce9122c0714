import type { Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MachineError } from '../../contract/errors.ts'
import type { FileInfo, FileOptions, Files, ReadOptions, WriteOptions } from '../../contract/files.ts'
import type { Json } from '../../contract/handle.ts'
import { ask, readLine } from './agent-client.ts'
import type { Guest } from './guest.ts'

type Request = Readonly<Record<string, Json>>

/** Files of a machine, each request done by a process inside it. */
export class AgentFiles implements Files {
  readonly #guest: Guest

  constructor(guest: Guest) {
    this.#guest = guest
  }

  async #ask(request: Request, path: string, o: FileOptions = {}) {
    if (path === '' || path.includes('\0'))
      throw new MachineError('INVALID', 'a path is not empty and holds no NUL')
    return await ask(
      this.#guest,
      { ...request, path, ...(o.user !== undefined && { user: o.user }) },
      o.signal,
    )
  }

  async #askOnce(request: Request, path: string, o?: FileOptions) {
    const { socket, answer } = await this.#ask(request, path, o)
    socket.destroy()
    return answer
  }

  async read(path: string, o: ReadOptions = {}): Promise<Readable> {
    const range = {
      ...(o.offset !== undefined && { offset: o.offset }),
      ...(o.length !== undefined && { length: o.length }),
    }
    const { socket, answer } = await this.#ask({ op: 'read', ...range }, path, o)
    socket.end()
    return exactly(socket, Number(answer['length']), path, o.signal)
  }

  async write(path: string, content: Readable | Uint8Array, o: WriteOptions = {}): Promise<void> {
    const { socket } = await this.#ask(
      { op: 'write', ...(o.mode !== undefined && { mode: o.mode }) },
      path,
      o,
    )
    const sent = new AbortController()
    const signal = AbortSignal.any([sent.signal, ...(o.signal ? [o.signal] : [])])
    try {
      const source = content instanceof Readable ? content : Readable.from([content])
      const verdict = readLine(socket)
      const sending = pipeline(source, chunked, socket, { end: false, signal })
      sending.catch(() => {})
      // The machine's word before the end of the sending is always a refusal.
      const said = await Promise.race([sending.then(() => verdict), verdict])
      if (JSON.parse(said)['ok'] !== true) throw refusal(said)
    } finally {
      sent.abort()
      socket.destroy()
    }
  }

  async stat(path: string, o?: FileOptions): Promise<FileInfo> {
    return toInfo((await this.#askOnce({ op: 'stat' }, path, o))['info'])
  }

  async list(path: string, o?: FileOptions): Promise<FileInfo[]> {
    const { list } = await this.#askOnce({ op: 'list' }, path, o)
    return Array.isArray(list) ? list.map(toInfo) : []
  }

  async makeDirectory(path: string, o?: FileOptions): Promise<void> {
    await this.#askOnce({ op: 'mkdir' }, path, o)
  }

  async move(from: string, to: string, o?: FileOptions): Promise<void> {
    await this.#askOnce({ op: 'move', to }, from, o)
  }

  async remove(path: string, o?: FileOptions): Promise<void> {
    await this.#askOnce({ op: 'remove' }, path, o)
  }
}

function refusal(line: string): MachineError {
  const { error, message } = JSON.parse(line)
  const code = error === 'NOT_FOUND' || error === 'DENIED' || error === 'INVALID' ? error : 'STATE'
  return new MachineError(code, String(message))
}

/** Each chunk led by its length, and a length of zero at the end: an end that came too soon is no end. */
async function* chunked(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer> {
  const largest = 1 << 24
  const length = (size: number) => {
    const head = Buffer.alloc(4)
    head.writeUInt32BE(size)
    return head
  }
  for await (const piece of source) {
    const bytes = Buffer.from(piece)
    for (let at = 0; at < bytes.length; at += largest) {
      const part = bytes.subarray(at, at + largest)
      yield length(part.length)
      yield part
    }
  }
  yield length(0)
}

/** A stream that fails when fewer bytes come than were promised. */
function exactly(socket: Socket, length: number, path: string, signal?: AbortSignal): Readable {
  let left = length
  const out = new PassThrough({
    transform(chunk: Buffer, _, done) {
      left -= chunk.length
      done(null, chunk)
    },
    flush(done) {
      done(left === 0 ? null : new MachineError('STATE', `${path} changed while it was read`))
    },
  })
  pipeline(socket, out, signal ? { signal } : {}).catch(error => out.destroy(error))
  return out
}

const kinds = ['file', 'directory', 'symlink'] as const

/** Parsed and not trusted: the machine may say what it likes. */
function toInfo(value: Json | undefined): FileInfo {
  const info = value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}
  return {
    name: String(info['name']),
    kind: kinds.find(kind => kind === info['kind']) ?? 'other',
    size: Number(info['size']),
    mode: Number(info['mode']),
    user: Number(info['user']),
    group: Number(info['group']),
    modifiedMs: Number(info['modifiedMs']),
    ...(typeof info['target'] === 'string' && { target: info['target'] }),
  }
}
