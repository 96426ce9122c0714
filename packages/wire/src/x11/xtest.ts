import { request } from './request.ts'

/** The XTEST extension, version 2.2: simulated input. */

/** The event codes of simulated input. */
export const fake = { keyDown: 2, keyUp: 3, buttonDown: 4, buttonUp: 5, motion: 6 } as const

/** Simulates input. `detail` is a keycode or a button; a motion moves the pointer to a position on the screen. */
export function fakeInput(opcode: number, event: number, detail: number, x = 0, y = 0): Uint8Array {
  return request(opcode, 2, 9, data => {
    data.setUint8(4, event)
    data.setUint8(5, detail)
    data.setInt16(24, x, true)
    data.setInt16(26, y, true)
  })
}

/** Lets this client act while another one has grabbed the server. */
export function grabControl(opcode: number, impervious: boolean): Uint8Array {
  return request(opcode, 3, 2, data => data.setUint8(4, impervious ? 1 : 0))
}
