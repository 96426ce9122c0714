import { dataView, request } from './request.ts'

/** The DAMAGE extension, version 1.1: reports as soon as other clients have drawn. */

/** A rectangle of the screen that was drawn on. */
export interface DamagedArea {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The server sends an event each time the bounding box of all damage has grown. */
const boundingBox = 2

/** Announces the version of this client, which must precede all other requests of the extension. */
export function queryDamageVersion(opcode: number): Uint8Array {
  return request(opcode, 0, 3, data => {
    data.setUint32(4, 1, true)
    data.setUint32(8, 1, true)
  })
}

/** Reports drawing in a window and its children. `id` is a resource id of this client. */
export function createDamage(opcode: number, id: number, window: number): Uint8Array {
  return request(opcode, 1, 4, data => {
    data.setUint32(4, id, true)
    data.setUint32(8, window, true)
    data.setUint8(12, boundingBox)
  })
}

/** Clears the bounding box, so that the next drawing is reported again. */
export function subtractDamage(opcode: number, id: number): Uint8Array {
  return request(opcode, 3, 4, data => data.setUint32(4, id, true))
}

/** The bounding box in a damage event. */
export function readDamage(event: Uint8Array): DamagedArea {
  const data = dataView(event)
  return {
    x: data.getInt16(16, true),
    y: data.getInt16(18, true),
    width: data.getUint16(20, true),
    height: data.getUint16(22, true),
  }
}
