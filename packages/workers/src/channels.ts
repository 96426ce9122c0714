import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Channel } from '@sandglass/rpc'

/** The channel of a call that has one. */
export function only([channel]: readonly Channel[]): Channel {
  if (!channel) throw new Error('the call has no channel')
  return channel
}

/** Fires when the channel is closed, from whichever side and for whatever reason. */
export function closing(channel: Channel): AbortSignal {
  const controller = new AbortController()
  if (channel.destroyed) controller.abort()
  else channel.once('close', () => controller.abort())
  return controller.signal
}

/** Passes on everything until the end. If either is closed before that, or already, so is the other. */
export function carry(from: Readable, to: Writable): void {
  pipeline(from, to).catch(() => {
    from.destroy()
    to.destroy()
  })
}
