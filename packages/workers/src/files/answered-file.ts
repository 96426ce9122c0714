import { once } from 'node:events'
import { Readable, type Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  type CreatedFile,
  type FileInfo,
  type FileRange,
  MachineError,
  type OpenFile,
} from '@sandglass/machines/contract'
import type { Caller, Channel, MethodTable } from '@sandglass/rpc'
import { unreachable } from '../errors.ts'
import { FileInfo as Info } from './schemas.ts'

/** Only small files are created, and what has become of one may be large. */
const maxBytes = 16 * 1024 * 1024

/** In the worker: reads the file when the front asks for it, and closes it when the front does not. */
export async function answerReading(created: CreatedFile, asked: Channel): Promise<void> {
  try {
    if (asked.destroyed) return
    const closed = new AbortController()
    asked.once('close', () => closed.abort())
    await once(asked, 'data', { signal: closed.signal })
    const { info, content } = await contentOf(await created.open())
    asked.write(JSON.stringify(info))
    asked.end(content)
  } catch (error) {
    asked.destroy(error instanceof Error ? error : new Error(String(error)))
  } finally {
    created.close()
  }
}

async function contentOf(file: OpenFile) {
  const { info } = file
  if (info.size <= maxBytes) return { info, content: await buffer(file.read()) }
  file.close()
  throw new MachineError('STATE', `${info.name} has become too large`)
}

/** In the front: asks the worker to read the file, and returns what it answers. */
export async function answeredFile(
  caller: Pick<Caller<MethodTable>, 'close'>,
  asked: Channel,
): Promise<OpenFile> {
  asked.end('read')
  const [described, content = Buffer.alloc(0)]: Buffer[] = await asked.toArray()
  try {
    const info = Info.parse(JSON.parse(String(described)))
    if (info.size === content.length) return heldFile(info, content)
    throw new Error(`${content.length} bytes of a file of ${info.size}`)
  } catch (error) {
    caller.close()
    throw unreachable(error)
  }
}

/** A file whose content is in memory. */
function heldFile(info: FileInfo, content: Buffer): OpenFile {
  const part = ({ offset = 0, length = info.size }: FileRange = {}) =>
    content.subarray(offset, offset + length)
  return {
    info,
    read: range => Readable.from([part(range)], { objectMode: false }),
    sendTo: (sink, range) => written(sink, part(range)),
    close: () => {},
  }
}

function written(sink: Writable, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    sink.write(bytes, error => (error ? reject(error) : resolve()))
  })
}
