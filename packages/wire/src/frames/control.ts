import { Fields } from './fields.ts'
import { channel, encodeFrame, type Frame } from './frame.ts'
import { FrameError } from './frame-error.ts'

const json = 1

/** Encodes a message of the control channel: JSON whose `kind` identifies it. */
export function encodeControl(message: { readonly kind: string }): Uint8Array {
  return encodeFrame(channel.control, json, new TextEncoder().encode(JSON.stringify(message)))
}

/** Reads a message of the control channel as JSON. The caller must validate its content. */
export function parseControl({ type, payload }: Frame): unknown {
  if (type !== json) throw new FrameError(`control has no type ${type}: use ${json}, JSON`)
  const text = new Fields(payload).text()
  try {
    return JSON.parse(text)
  } catch {
    throw new FrameError('a control message is not JSON')
  }
}
