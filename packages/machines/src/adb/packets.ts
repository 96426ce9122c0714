import type { Duplex } from 'node:stream'
import { Allowance } from '@sandglass/wire/limits'
import { AdbCommand, type AdbDaemonConnection, type AdbPacketData, type AdbPacketInit } from '@yume-chan/adb'
import { Consumable, ReadableStream } from '@yume-chan/stream-extra'
import { MachineError } from '../contract/errors.ts'
import { FlowControl } from './flow-control.ts'
import { PacketQueue } from './packet-queue.ts'
import { headerLength, PacketReader } from './packet-reader.ts'

/** More than an old device sends that divides a picture of its screen into packets of 4 KiB. */
const packetsPerSecond = 50_000

/** How many packets a device may send while it does not read; some of them have to be answered. */
const maxUnanswered = 10_000

/** Encodes and decodes ADB packets over a byte stream, with flow control and limits for what a device sends. */
export function packetsOver(stream: Duplex, now?: () => number): AdbDaemonConnection {
  const reader = new PacketReader()
  const flow = new FlowControl()
  const allowance = new Allowance(packetsPerSecond, now)
  let unanswered = 0
  let isBlocked = false
  let passOn: (packet: AdbPacketData) => void = () => {}
  let isWanted = () => true
  const queue = new PacketQueue(
    packet => passOn(packet),
    () => void (isWanted() && stream.resume()),
  )

  function* received(chunk: Buffer): Generator<AdbPacketData> {
    const packets = reader.receive(chunk)
    if (!allowance.take(packets.length)) throw tooMuch(`more than ${packetsPerSecond} packets per second`)
    unanswered = isBlocked ? unanswered + packets.length : 0
    if (unanswered > maxUnanswered) throw tooMuch('packets, but does not read')
    for (const packet of packets) if (flow.received(packet)) yield packet
  }

  const readable = new ReadableStream<AdbPacketData>({
    start(controller) {
      passOn = packet => controller.enqueue(packet)
      isWanted = () => (controller.desiredSize ?? 0) > 0
      stream.on('data', (chunk: Buffer) => {
        try {
          stream.pause()
          queue.add(received(chunk))
        } catch (error) {
          queue.clear()
          stream.destroy()
          controller.error(error)
        }
      })
      // ADB has no half-closed connections.
      stream.once('end', () => stream.destroy())
      stream.once('error', error => {
        queue.clear()
        controller.error(error)
      })
      stream.once('close', () => {
        queue.flush()
        closeQuietly(controller)
      })
    },
    pull: () => void (queue.isEmpty && stream.resume()),
    cancel: () => void stream.destroy(),
  })
  const writable = new Consumable.WritableStream<AdbPacketInit>({
    write: async given => {
      const packet = withEndOfName(given)
      // The reader learns that the connection has ended, so a write to a closed connection is not an error.
      if (!stream.destroyed && !stream.write(encodePacket(packet))) {
        isBlocked = true
        await drained(stream)
        isBlocked = false
      }
      const end = flow.sent(packet)
      if (end && !stream.destroyed) passOn(end)
    },
    close: () => void stream.destroy(),
    abort: () => void stream.destroy(),
  })
  return { readable, writable }
}

function tooMuch(what: string): MachineError {
  return new MachineError('MACHINE_FAILED', `The device sent ${what}.`)
}

/** Closes the controller, which may have failed already. */
function closeQuietly(controller: { close(): void }): void {
  try {
    controller.close()
  } catch {
    // It was closed or has failed already.
  }
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

/**
 * Ends the name of a service with a zero. The library leaves it out for newer devices, but their adbd reads the names of ports and
 * sockets up to the next zero, which is somewhere behind the packet: the connection then goes elsewhere, or fails.
 */
function withEndOfName(packet: AdbPacketInit): AdbPacketInit {
  if (packet.command !== AdbCommand.Open || packet.payload.at(-1) === 0) return packet
  // The checksum is a sum, which a zero does not change.
  return { ...packet, payload: Buffer.concat([packet.payload, Buffer.of(0)]) }
}

export function encodePacket({ command, arg0, arg1, checksum, magic, payload }: AdbPacketInit): Buffer {
  const bytes = Buffer.alloc(headerLength + payload.length)
  const fields = [command, arg0, arg1, payload.length, checksum, magic >>> 0]
  for (const [index, field] of fields.entries()) bytes.writeUInt32LE(field, 4 * index)
  bytes.set(payload, headerLength)
  return bytes
}
