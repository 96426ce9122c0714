import { Fields } from './fields.ts'
import { channel, encodeFrame, type Frame } from './frame.ts'
import { FrameError } from './frame-error.ts'

const text = 1

/** Encodes the text of a clipboard: the machine's for the viewer, or the viewer's for the machine. */
export function encodeClipboard(content: string): Uint8Array {
  return encodeFrame(channel.clipboard, text, new TextEncoder().encode(content))
}

/** Reads a clipboard frame; throws a FrameError if it is not UTF-8 text. */
export function parseClipboard({ type, payload }: Frame): string {
  if (type !== text) throw new FrameError(`clipboard has no type ${type}: use ${text}, text`)
  return new Fields(payload).text()
}
