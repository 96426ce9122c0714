import { Fields, pack } from './fields.ts'
import { channel, encodeFrame, type Frame } from './frame.ts'
import { FrameError } from './frame-error.ts'

const types = { pointer: 1, wheel: 2, key: 3, text: 4, touch: 5, releaseAll: 6 } as const

const phases = ['start', 'move', 'end', 'cancel'] as const
/** The phase of a touch. */
export type TouchPhase = (typeof phases)[number]

/** The delta of one wheel notch. */
export const wheelNotch = 120

/** Input of a person. The service drops input whose lease number is not the current one. */
export type InputFrame = { readonly lease: number } & (
  | {
      readonly type: 'pointer'
      readonly x: number
      readonly y: number
      /** The buttons that are down, as a sum: 1 left, 2 right, 4 middle, 8 back, 16 forward. */
      readonly buttons: number
    }
  /** Deltas are in 120ths of a notch; positive is down and right. */
  | {
      readonly type: 'wheel'
      readonly x: number
      readonly y: number
      readonly deltaX: number
      readonly deltaY: number
    }
  /** Keys are X keysyms. */
  | { readonly type: 'key'; readonly keysym: number; readonly isDown: boolean }
  /** Text to type, for example from an input method. */
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'touch'
      readonly finger: number
      readonly phase: TouchPhase
      readonly x: number
      readonly y: number
    }
  /** Releases all keys and buttons that are down, for example when the window loses focus. */
  | { readonly type: 'releaseAll' }
)

/** Encodes an input frame. */
export function encodeInput(input: InputFrame): Uint8Array {
  const head = pack([32, input.lease])
  return encodeFrame(channel.input, types[input.type], head, fieldsOf(input))
}

function fieldsOf(input: InputFrame): Uint8Array {
  switch (input.type) {
    case 'pointer':
      return pack([16, input.x], [16, input.y], [8, input.buttons])
    case 'wheel':
      return pack([16, input.x], [16, input.y], [16, input.deltaX], [16, input.deltaY])
    case 'key':
      return pack([32, input.keysym], [8, input.isDown ? 1 : 0])
    case 'text':
      return new TextEncoder().encode(input.text)
    case 'touch':
      return pack([8, input.finger], [8, phases.indexOf(input.phase)], [16, input.x], [16, input.y])
    case 'releaseAll':
      return new Uint8Array(0)
  }
}

/** Reads an input frame; throws a FrameError if it is malformed. */
export function parseInput({ type, payload }: Frame): InputFrame {
  const fields = new Fields(payload)
  const lease = fields.u32()
  const input = readInput(type, lease, fields)
  fields.end()
  return input
}

function readInput(type: number, lease: number, fields: Fields): InputFrame {
  switch (type) {
    case types.pointer:
      return { type: 'pointer', lease, x: fields.u16(), y: fields.u16(), buttons: fields.u8() }
    case types.wheel: {
      const [x, y] = [fields.u16(), fields.u16()]
      return { type: 'wheel', lease, x, y, deltaX: fields.i16(), deltaY: fields.i16() }
    }
    case types.key:
      return { type: 'key', lease, keysym: fields.u32(), isDown: fields.u8() === 1 }
    case types.text:
      return { type: 'text', lease, text: fields.text() }
    case types.touch: {
      const [finger, phase] = [fields.u8(), phases[fields.u8()]]
      if (!phase) throw new FrameError(`a touch's phase is one of 0 to ${phases.length - 1}`)
      return { type: 'touch', lease, finger, phase, x: fields.u16(), y: fields.u16() }
    }
    case types.releaseAll:
      return { type: 'releaseAll', lease }
    default:
      throw new FrameError(`input has no type ${type}`)
  }
}
