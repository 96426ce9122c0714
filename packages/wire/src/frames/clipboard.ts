import { Fields } from './fields.ts'
import { channel, encodeFrame, type Frame } from './frame.ts'
import { FrameError } from './frame-error.ts'

const text = 1

/** The text that is in the clipboard now: of the machine, told to the viewer, or the other way round. */
export function encodeClipboard(content: string): Uint8Array {
  return encodeFrame(channel.clipboard, text, new TextEncoder().encode(content))
}

export function parseClipboard({ type, payload }: Frame): string {
  if (type !== text) throw new FrameError(`clipboard has no type ${type}: use ${text}, text`)
  return new Fields(payload).text()
}
