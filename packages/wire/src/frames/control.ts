import { Fields } from './fields.ts'
import { channel, encodeFrame, type Frame } from './frame.ts'
import { FrameError } from './frame-error.ts'

const json = 1

/** A message of the control channel: an object whose `kind` says what it is, as JSON. */
export function encodeControl(message: { readonly kind: string }): Uint8Array {
  return encodeFrame(channel.control, json, new TextEncoder().encode(JSON.stringify(message)))
}

/** Some JSON value: what it means is for the reader to check. */
export function parseControl({ type, payload }: Frame): unknown {
  if (type !== json) throw new FrameError(`control has no type ${type}: use ${json}, JSON`)
  const text = new Fields(payload).text()
  try {
    return JSON.parse(text)
  } catch {
    throw new FrameError('a control message is not JSON')
  }
}
