import type { RfbEvent } from '../events.ts'
import type { RfbOptions } from '../options.ts'
import { RfbClient } from '../rfb-client.ts'
import { join } from './bytes.ts'
import { greeting } from './server.ts'

/** A client with everything that it sent and all events. */
export interface Recording {
  readonly client: RfbClient
  readonly events: RfbEvent[]
  sent(): Uint8Array
}

export function record(options: RfbOptions = {}): Recording {
  const events: RfbEvent[] = []
  const pieces: Uint8Array[] = []
  const client = new RfbClient({
    ...options,
    send: bytes => pieces.push(bytes.slice()),
    listener: event => events.push(event),
  })
  return { client, events, sent: () => join(...pieces.splice(0)) }
}

/**
 * A client after the handshake, with nothing recorded yet. It has requested ZRLE, so that the server may use every
 * encoding.
 */
export function recordReady(width: number, height: number, options: RfbOptions = {}): Recording {
  const recording = record({ prefer: 'zrle', ...options })
  recording.client.receive(greeting(width, height))
  recording.events.splice(0)
  recording.sent()
  return recording
}

/** Red, green and blue of each pixel; the fourth byte is undefined. */
export function rgb({ framebuffer }: RfbClient): number[] {
  return [...framebuffer.pixels].filter((_, index) => index % 4 !== 3)
}
