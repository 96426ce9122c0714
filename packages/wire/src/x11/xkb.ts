import { dataView, request } from './request.ts'

/** The XKEYBOARD extension, version 1.0: which modifiers are held, latched and locked. */

const coreKeyboard = 0x100
const allModifiers = 0xff

export function useXkb(opcode: number): Uint8Array {
  return request(opcode, 0, 2, data => data.setUint16(4, 1, true))
}

/** The modifier state of the keyboard; each field is a bit mask. */
export interface KeyboardState {
  /** Modifiers of keys that are down. */
  readonly held: number
  readonly latched: number
  readonly locked: number
  readonly lockedGroup: number
}

export function getState(opcode: number): Uint8Array {
  return request(opcode, 4, 2, data => data.setUint16(4, coreKeyboard, true))
}

export function readState(reply: Uint8Array): KeyboardState {
  const data = dataView(reply)
  return {
    held: data.getUint8(9),
    latched: data.getUint8(10),
    locked: data.getUint8(11),
    lockedGroup: data.getUint8(13),
  }
}

/** Locks exactly these modifiers and this group, and clears all latches. */
export function setLocks(opcode: number, locked: number, group: number): Uint8Array {
  return request(opcode, 5, 4, data => {
    data.setUint16(4, coreKeyboard, true)
    data.setUint8(6, allModifiers)
    data.setUint8(7, locked)
    data.setUint8(8, 1)
    data.setUint8(9, group)
    data.setUint8(10, allModifiers)
    data.setUint8(13, 1)
  })
}
