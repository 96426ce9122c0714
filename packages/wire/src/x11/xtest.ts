import { request } from './request.ts'

/** XTEST 2.2: input as if it came from a device. */

export const fake = { keyDown: 2, keyUp: 3, buttonDown: 4, buttonUp: 5, motion: 6 } as const

/** `detail` is a keycode or a button; a motion goes to a place on the screen. */
export function fakeInput(opcode: number, event: number, detail: number, x = 0, y = 0): Uint8Array {
  return request(opcode, 2, 9, data => {
    data.setUint8(4, event)
    data.setUint8(5, detail)
    data.setInt16(24, x, true)
    data.setInt16(26, y, true)
  })
}

/** Lets this client act while another one has the server to itself. */
export function grabControl(opcode: number, impervious: boolean): Uint8Array {
  return request(opcode, 3, 2, data => data.setUint8(4, impervious ? 1 : 0))
}
