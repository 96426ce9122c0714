import type { Duplex } from 'node:stream'
import type { AdbDaemonConnection, AdbPacketData, AdbPacketInit } from '@yume-chan/adb'
import { Consumable, ReadableStream } from '@yume-chan/stream-extra'
import { FlowControl } from './flow-control.ts'
import { headerLength, PacketReader } from './packet-reader.ts'

/** Encodes and decodes ADB packets over a byte stream, with flow control. */
export function packetsOver(stream: Duplex): AdbDaemonConnection {
  const reader = new PacketReader()
  const flow = new FlowControl()
  let passOn: (packet: AdbPacketData) => void = () => {}
  const readable = new ReadableStream<AdbPacketData>({
    start(controller) {
      passOn = packet => controller.enqueue(packet)
      stream.on('data', (chunk: Buffer) => {
        try {
          for (const packet of reader.receive(chunk)) if (flow.received(packet)) controller.enqueue(packet)
          if ((controller.desiredSize ?? 0) <= 0) stream.pause()
        } catch (error) {
          stream.destroy()
          controller.error(error)
        }
      })
      // ADB has no half-closed connections.
      stream.once('end', () => stream.destroy())
      stream.once('error', error => controller.error(error))
      stream.once('close', () => {
        closeQuietly(controller)
      })
    },
    pull: () => void stream.resume(),
    cancel: () => void stream.destroy(),
  })
  const writable = new Consumable.WritableStream<AdbPacketInit>({
    write: async packet => {
      await send(stream, packet)
      const end = flow.sent(packet)
      if (end && !stream.destroyed) passOn(end)
    },
    close: () => void stream.destroy(),
    abort: () => void stream.destroy(),
  })
  return { readable, writable }
}

/** Closes the controller, which may have failed already. */
function closeQuietly(controller: { close(): void }): void {
  try {
    controller.close()
  } catch {
    // It was closed or has failed already.
  }
}

async function send(stream: Duplex, packet: AdbPacketInit): Promise<void> {
  // The reader learns that the connection has ended, so a write to a closed connection is not an error.
  if (stream.destroyed) return
  if (!stream.write(encodePacket(packet))) await drained(stream)
}

/** Resolves when the stream can take more data, or has closed. */
function drained(stream: Duplex): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.on('drain', done).on('close', done)
  })
}

export function encodePacket({ command, arg0, arg1, checksum, magic, payload }: AdbPacketInit): Buffer {
  const bytes = Buffer.alloc(headerLength + payload.length)
  const fields = [command, arg0, arg1, payload.length, checksum, magic >>> 0]
  for (const [index, field] of fields.entries()) bytes.writeUInt32LE(field, 4 * index)
  bytes.set(payload, headerLength)
  return bytes
}
