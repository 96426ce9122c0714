const chunkBytes = 64 * 1024

/**
 * The two directions of a relayed stream. Each promise resolves when the end was passed on, and rejects when either
 * side fails.
 */
export interface Carried {
  readonly toSocket: Promise<void>
  readonly toStream: Promise<void>
}

/**
 * Relays bytes between a QUIC stream and a unix socket. Each side is read only when the other has accepted
 * everything.
 */
export function carry(stream: Deno.BidirectionalStream, socket: Deno.UnixConn): Carried {
  return { toSocket: toSocket(stream.readable, socket), toStream: toStream(socket, stream.writable) }
}

async function toSocket(from: ReadableStream<Uint8Array>, socket: Deno.UnixConn): Promise<void> {
  for await (const bytes of from) await writeAll(socket, bytes)
  await socket.closeWrite()
}

async function toStream(socket: Deno.UnixConn, to: WritableStream<Uint8Array>): Promise<void> {
  const writer = to.getWriter()
  for (;;) {
    const bytes = new Uint8Array(chunkBytes)
    const length = await socket.read(bytes)
    if (length === null) break
    await writer.write(bytes.subarray(0, length))
  }
  await writer.close()
}

export async function writeAll(to: Deno.UnixConn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += await to.write(bytes.subarray(at))
}
