import type { Writable } from 'node:stream'

/** Sends messages at once. If the other process does not take them, the channel is given up, so that little is kept for it. */
export class Outbox {
  readonly #channel: Writable
  readonly #maxBytes: number

  constructor(channel: Writable, maxBytes: number) {
    this.#channel = channel
    this.#maxBytes = maxBytes
  }

  send(message: Buffer): void {
    const channel = this.#channel
    if (!channel.writable) return
    channel.write(message)
    if (channel.writableLength > this.#maxBytes)
      channel.destroy(new Error('the other process does not take the messages of a live session'))
  }
}
