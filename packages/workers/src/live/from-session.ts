import { channel, Fields, FrameError, pack, parseFrame } from '@sandglass/wire/frames'

/** A viewer that gets a frame, and the number that the frame has for it. Cursor frames have none. */
export interface Recipient {
  readonly viewer: number
  readonly sequence: number
}

/** What a session in a worker says to the front. */
export type FromSession =
  /** A frame of the picture or cursor channel, once for all viewers that get it. */
  | { readonly kind: 'frame'; readonly to: readonly Recipient[]; readonly frame: Uint8Array }
  | { readonly kind: 'copied'; readonly text: string }
  | { readonly kind: 'fault' | 'pictureFault' | 'failure'; readonly text: string }
  /** All of so many inputs have been applied. */
  | { readonly kind: 'idle'; readonly inputs: number; readonly isHolding: boolean }
  /** The release that was this input is done. */
  | { readonly kind: 'released'; readonly input: number }

const kinds = [
  'frame',
  'copied',
  'fault',
  'pictureFault',
  'failure',
  'idle',
  'released',
] as const satisfies readonly FromSession['kind'][]

/** More than the characters that a session reads from a clipboard take in UTF-8. */
const maxCopiedBytes = 1024 * 1024
const maxErrorCharacters = 4096
/** A character has at most three bytes per unit of its length. */
const maxErrorBytes = 3 * maxErrorCharacters

export function encodeFromSession(message: FromSession): Buffer {
  return Buffer.concat([pack([8, kinds.indexOf(message.kind)]), ...fieldsOf(message)])
}

/** What crosses of an error. */
export function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, maxErrorCharacters)
}

function fieldsOf(message: FromSession): Uint8Array[] {
  switch (message.kind) {
    case 'frame': {
      const numbers = message.to.map(({ viewer, sequence }) => pack([32, viewer], [32, sequence]))
      return [pack([16, message.to.length]), ...numbers, message.frame]
    }
    case 'copied':
    case 'fault':
    case 'pictureFault':
    case 'failure':
      return [Buffer.from(message.text)]
    case 'idle':
      return [pack([32, message.inputs], [8, message.isHolding ? 1 : 0])]
    case 'released':
      return [pack([32, message.input])]
  }
}

/** Throws a FrameError if it is malformed. */
export function parseFromSession(bytes: Uint8Array): FromSession {
  const fields = new Fields(bytes)
  const message = readMessage(kinds[fields.u8()], fields)
  fields.end()
  return message
}

function readMessage(kind: FromSession['kind'] | undefined, fields: Fields): FromSession {
  switch (kind) {
    case 'frame': {
      const to = Array.from({ length: fields.u16() }, () => ({
        viewer: fields.u32(),
        sequence: fields.u32(),
      }))
      return { kind, to, frame: readFrame(fields.rest()) }
    }
    case 'copied':
      return { kind, text: readText(fields, maxCopiedBytes) }
    case 'fault':
    case 'pictureFault':
    case 'failure':
      return { kind, text: readText(fields, maxErrorBytes) }
    case 'idle':
      return { kind, inputs: fields.u32(), isHolding: fields.u8() === 1 }
    case 'released':
      return { kind, input: fields.u32() }
    default:
      throw new FrameError('a message of an unknown kind')
  }
}

/** A worker may show viewers what it wants, but must not speak for the room or break what others say. */
function readFrame(bytes: Uint8Array): Uint8Array {
  const { channel: number } = parseFrame(bytes)
  if (number !== channel.picture && number !== channel.cursor)
    throw new FrameError(`a session has no channel ${number}`)
  return bytes
}

function readText(fields: Fields, maxBytes: number): string {
  if (fields.remaining > maxBytes) throw new FrameError(`a text of ${fields.remaining} bytes`)
  return fields.text()
}
