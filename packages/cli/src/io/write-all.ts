import { once } from 'node:events'

/** Writes bytes, and waits if the reader is slower than they come. */
export async function writeAll(stream: NodeJS.WritableStream, bytes: Uint8Array): Promise<void> {
  if (!stream.write(bytes)) await once(stream, 'drain')
}
