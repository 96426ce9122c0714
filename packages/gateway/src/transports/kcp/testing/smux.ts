import type { Duplex } from 'node:stream'

const commands = { open: 0, close: 1, data: 2 } as const
const version = 1
const headerBytes = 8

/** A frame of smux: version, command, length (u16), stream (u32), all little endian, then the data. */
export function frame(
  command: keyof typeof commands,
  stream: number,
  data: Uint8Array = new Uint8Array(0),
): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt8(version, 0)
  header.writeUInt8(commands[command], 1)
  header.writeUInt16LE(data.length, 2)
  header.writeUInt32LE(stream, 4)
  return Buffer.concat([header, data])
}

/** The data of incoming frames, each with its stream. */
export async function* dataFrames(source: Duplex): AsyncGenerator<{ stream: number; data: Buffer }> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= headerBytes) {
      const end = headerBytes + rest.readUInt16LE(2)
      if (rest.length < end) break
      if (rest.readUInt8(1) === commands.data)
        yield { stream: rest.readUInt32LE(4), data: rest.subarray(headerBytes, end) }
      rest = rest.subarray(end)
    }
  }
}
