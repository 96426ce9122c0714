import { replyOf, request } from './request.ts'

/** DAMAGE 1.1: hears that others have drawn, as soon as they have. */

export interface DamagedArea {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** An event each time when the box around all that was drawn has grown. */
const boundingBox = 2

/** A client must say which version it speaks before anything else. */
export function queryDamageVersion(opcode: number): Uint8Array {
  return request(opcode, 0, 3, data => {
    data.setUint32(4, 1, true)
    data.setUint32(8, 1, true)
  })
}

/** Watches a window and all within it; `id` is one of the client's own. */
export function createDamage(opcode: number, id: number, window: number): Uint8Array {
  return request(opcode, 1, 4, data => {
    data.setUint32(4, id, true)
    data.setUint32(8, window, true)
    data.setUint8(12, boundingBox)
  })
}

/** The box is empty again: the next that is drawn is told. */
export function subtractDamage(opcode: number, id: number): Uint8Array {
  return request(opcode, 3, 4, data => data.setUint32(4, id, true))
}

/** The box of an event of damage. */
export function readDamage(event: Uint8Array): DamagedArea {
  const data = replyOf(event)
  return {
    x: data.getInt16(16, true),
    y: data.getInt16(18, true),
    width: data.getUint16(20, true),
    height: data.getUint16(22, true),
  }
}
