import {
  encodeInput,
  Fields,
  FrameError,
  type InputFrame,
  pack,
  parseFrame,
  parseInput,
} from '@sandglass/wire/frames'

/** What the front says to a session in a worker. Viewers have numbers, beginning with one. */
export type ToSession =
  | { readonly kind: 'attach'; readonly viewer: number; readonly takesVideo: boolean }
  | { readonly kind: 'acknowledge'; readonly viewer: number; readonly sequence: number }
  | { readonly kind: 'pointed'; readonly viewer: number; readonly x: number; readonly y: number }
  | { readonly kind: 'refresh' | 'detach'; readonly viewer: number }
  | { readonly kind: 'input'; readonly input: InputFrame }
  | { readonly kind: 'paste'; readonly text: string }
  /** Answered with `released`. */
  | { readonly kind: 'release' }

const kinds = [
  'attach',
  'acknowledge',
  'pointed',
  'refresh',
  'detach',
  'input',
  'paste',
  'release',
] as const satisfies readonly ToSession['kind'][]

export function encodeToSession(message: ToSession): Buffer {
  return Buffer.concat([pack([8, kinds.indexOf(message.kind)]), fieldsOf(message)])
}

function fieldsOf(message: ToSession): Uint8Array {
  switch (message.kind) {
    case 'attach':
      return pack([32, message.viewer], [8, message.takesVideo ? 1 : 0])
    case 'acknowledge':
      return pack([32, message.viewer], [32, message.sequence])
    case 'pointed':
      return pack([32, message.viewer], [16, message.x], [16, message.y])
    case 'refresh':
    case 'detach':
      return pack([32, message.viewer])
    case 'input':
      return encodeInput(message.input)
    case 'paste':
      return Buffer.from(message.text)
    case 'release':
      return Buffer.of()
  }
}

/** Throws a FrameError if it is malformed. */
export function parseToSession(bytes: Uint8Array): ToSession {
  const fields = new Fields(bytes)
  const message = readMessage(kinds[fields.u8()], fields)
  fields.end()
  return message
}

function readMessage(kind: ToSession['kind'] | undefined, fields: Fields): ToSession {
  switch (kind) {
    case 'attach':
      return { kind, viewer: fields.u32(), takesVideo: fields.u8() === 1 }
    case 'acknowledge':
      return { kind, viewer: fields.u32(), sequence: fields.u32() }
    case 'pointed':
      return { kind, viewer: fields.u32(), x: fields.u16(), y: fields.u16() }
    case 'refresh':
    case 'detach':
      return { kind, viewer: fields.u32() }
    case 'input':
      return { kind, input: parseInput(parseFrame(fields.rest())) }
    case 'paste':
      return { kind, text: fields.text() }
    case 'release':
      return { kind }
    default:
      throw new FrameError('a message of an unknown kind')
  }
}
