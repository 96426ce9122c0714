import type { Duplex } from 'node:stream'
import { Channel, type ChannelLink } from './channel.ts'
import { DescribedError, type ErrorCodec, LinkClosed } from './errors.ts'
import {
  type Frame,
  type FrameKind,
  FrameReader,
  frameHeader,
  joinPayload,
  kinds,
  lengthOf,
  splitPayload,
} from './frames.ts'
import { type ChannelKind, maxChannels } from './method.ts'

/** An encoded picture of the largest screen is far below this. */
const maxFrameBytes = 96 * 1024 * 1024
const maxErrorBytes = 64 * 1024

/** Frames over a byte stream, and the channels that they carry. */
export class Link implements ChannelLink {
  readonly #stream: Duplex
  readonly #errors: ErrorCodec
  readonly #channels = new Map<number, Channel>()
  readonly #reader = new FrameReader(maxFrameBytes)
  readonly #ending = Promise.withResolvers<LinkClosed>()
  /** Resolves with the reason when the other process is gone. */
  readonly ended = this.#ending.promise
  /** Called with the frames that belong to no channel. An error closes the link. */
  onFrame: (frame: Frame) => void = () => {}

  constructor(stream: Duplex, errors: ErrorCodec) {
    this.#stream = stream
    this.#errors = errors
    stream.on('data', (chunk: Buffer) => {
      try {
        for (const frame of this.#reader.read(chunk)) this.#receive(frame)
      } catch (error) {
        this.close(`the other process sent what it must not: ${error}`)
      }
    })
    stream.on('error', error => this.close(error.message))
    stream.on('close', () => this.close('the other process ended'))
    stream.on('end', () => this.close('the other process ended'))
  }

  get isClosed(): boolean {
    return this.#stream.destroyed
  }

  close(reason: string): void {
    const closed = new LinkClosed(reason)
    this.#ending.resolve(closed)
    this.#stream.destroy()
    for (const channel of [...this.#channels.values()]) channel.receiveReset(this.failure(closed))
  }

  /** What calls and channels fail with for this reason. */
  failure(reason: LinkClosed): Error {
    return this.#errors.closed?.(reason) ?? reason
  }

  /** The channels of a call. Both sides make them when the call begins. */
  open(call: number, channelKinds: readonly ChannelKind[]): Channel[] {
    return channelKinds.map((kind, index) => {
      const id = call * maxChannels + index
      const channel = new Channel(id, kind, this)
      this.#channels.set(id, channel)
      return channel
    })
  }

  send(kind: FrameKind, id: number, value: unknown, bytes?: Uint8Array): void {
    this.sendPayload(kind, id, joinPayload(value, bytes))
  }

  sendPayload(kind: FrameKind, id: number, payload: Buffer): void {
    this.#write(kind, id, [payload])
  }

  sendError(kind: FrameKind, id: number, error: unknown): void {
    this.send(kind, id, this.#errors.describe(error))
  }

  /** The error that a frame describes. */
  errorIn(payload: Buffer): Error {
    return this.#errors.revive(DescribedError.parse(splitPayload(payload, maxErrorBytes).value))
  }

  sendData(id: number, pieces: readonly Uint8Array[], isPart: boolean, onWritten: () => void): void {
    this.#write(isPart ? kinds.part : kinds.data, id, pieces, onWritten)
  }

  sendEnd(id: number): void {
    this.#write(kinds.end, id, [])
  }

  sendReset(id: number, error: Error | null): void {
    if (error) this.sendError(kinds.reset, id, error)
    else this.#write(kinds.reset, id, [])
  }

  sendCredit(id: number, bytes: number): void {
    const payload = Buffer.allocUnsafe(4)
    payload.writeUInt32BE(bytes)
    this.#write(kinds.credit, id, [payload])
  }

  closed(id: number): void {
    this.#channels.delete(id)
  }

  #write(kind: FrameKind, id: number, payload: readonly Uint8Array[], onWritten?: () => void): void {
    const stream = this.#stream
    if (stream.destroyed) {
      onWritten?.()
      return
    }
    stream.cork()
    stream.write(frameHeader(kind, id, lengthOf(payload)))
    payload.forEach((piece, index) => {
      stream.write(piece, index === payload.length - 1 ? onWritten : undefined)
    })
    stream.uncork()
  }

  #receive(frame: Frame): void {
    const { kind, id, payload } = frame
    if (kind < kinds.data) {
      this.onFrame(frame)
      return
    }
    const channel = this.#channels.get(id)
    // What was still on the way when the channel was closed here.
    if (!channel) return
    if (kind === kinds.data || kind === kinds.part) channel.receive(payload, kind === kinds.part)
    else if (kind === kinds.end) channel.receiveEnd()
    else if (kind === kinds.credit) channel.receiveCredit(payload.readUInt32BE(0))
    else if (kind === kinds.reset)
      channel.receiveReset(payload.length > 0 ? this.errorIn(payload) : undefined)
    else throw new Error(`a frame of kind ${kind}`)
  }
}
