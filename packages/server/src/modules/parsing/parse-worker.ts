import { move } from 'piscina'
import { parseText, parseTextToRun, type TextToParse } from './parse-text.ts'

/** The code that runs in the worker thread. It also serializes the result, which can be several times the text. */
export default function serializedText(text: TextToParse): Uint8Array<ArrayBuffer> {
  return serialized(parseText(...text))
}

/** The same for a text that is to be run. */
export function serializedTextToRun(job: Parameters<typeof parseTextToRun>): Uint8Array<ArrayBuffer> {
  return serialized(parseTextToRun(...job))
}

function serialized(result: unknown): Uint8Array<ArrayBuffer> {
  return move(new TextEncoder().encode(JSON.stringify(result))) as Uint8Array<ArrayBuffer>
}
