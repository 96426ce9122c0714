import { parse } from '@sandglass/parsers'
import { move } from 'piscina'

/** The code that runs in the worker thread. It also serializes the result, which can be several times the text. */
export default function parseText(args: Parameters<typeof parse>): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(JSON.stringify(parse(...args)))
  return move(bytes) as Uint8Array<ArrayBuffer>
}
