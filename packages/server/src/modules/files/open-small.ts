import { Readable, type Writable } from 'node:stream'
import type { FileOptions, FileRange, Files, OpenFile } from '@sandglass/machines/contract'

/** Reads a small file at once. Returns undefined for a larger one, which is to be opened. */
export async function openSmall(
  files: Pick<Files, 'readSmall'>,
  path: string,
  options: FileOptions,
): Promise<OpenFile | undefined> {
  const { info, content } = await files.readSmall(path, options)
  if (!content) return undefined
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
