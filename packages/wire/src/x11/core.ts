import { dataView, request } from './request.ts'

/** Requests of the X11 core protocol, and readers for their replies. */

export function queryExtension(name: string): Uint8Array {
  return nameRequest(98, name)
}

/** The numbers that the server assigned to an extension. */
export interface Extension {
  readonly opcode: number
  readonly firstEvent: number
}

export function readExtension(reply: Uint8Array): Extension | undefined {
  const data = dataView(reply)
  return data.getUint8(8) === 1 ? { opcode: data.getUint8(9), firstEvent: data.getUint8(10) } : undefined
}

export function internAtom(name: string): Uint8Array {
  return nameRequest(16, name)
}

export function readAtom(reply: Uint8Array): number {
  return dataView(reply).getUint32(8, true)
}

export function queryPointer(window: number): Uint8Array {
  return request(38, 0, 2, data => data.setUint32(4, window, true))
}

/** The pointer's position on the screen, and which of the buttons 1 to 5 are down; bit 0 is button 1. */
export function readPointer(reply: Uint8Array): { x: number; y: number; buttons: number } {
  const data = dataView(reply)
  return {
    x: data.getInt16(16, true),
    y: data.getInt16(18, true),
    buttons: (data.getUint16(24, true) >> 8) & 0x1f,
  }
}

export function getGeometry(window: number): Uint8Array {
  return request(14, 0, 2, data => data.setUint32(4, window, true))
}

export function readGeometry(reply: Uint8Array): { width: number; height: number } {
  const data = dataView(reply)
  return { width: data.getUint16(16, true), height: data.getUint16(18, true) }
}

export function queryKeymap(): Uint8Array {
  return request(44, 0, 1)
}

/** The keycodes of all keys that are down. */
export function readKeymap(reply: Uint8Array): number[] {
  const down: number[] = []
  for (let keycode = 8; keycode < 256; keycode++)
    if (((reply[8 + (keycode >> 3)] ?? 0) >> (keycode & 7)) & 1) down.push(keycode)
  return down
}

export function getKeyboardMapping(first: number, count: number): Uint8Array {
  return request(101, 0, 2, data => {
    data.setUint8(4, first)
    data.setUint8(5, count)
  })
}

/** The keysyms of each of the `count` keycodes in order, the same number for each. */
export function readKeyboardMapping(reply: Uint8Array, count: number): number[][] {
  const data = dataView(reply)
  const width = data.getUint8(1)
  const rows: number[][] = []
  if (width === 0) return rows
  for (let at = 32; rows.length < count && at + 4 * width <= data.byteLength; at += 4 * width)
    rows.push(Array.from({ length: width }, (_, i) => data.getUint32(at + 4 * i, true)))
  return rows
}

/** Assigns keysyms to the keycodes from `first` on, the same number to each. */
export function changeKeyboardMapping(first: number, rows: readonly (readonly number[])[]): Uint8Array {
  const width = rows[0]?.length ?? 0
  return request(100, rows.length, 2 + rows.length * width, data => {
    data.setUint8(4, first)
    data.setUint8(5, width)
    rows.flat().forEach((keysym, i) => {
      data.setUint32(8 + 4 * i, keysym, true)
    })
  })
}

export function getModifierMapping(): Uint8Array {
  return request(119, 0, 1)
}

/** The keycodes of modifier keys. */
export function readModifierMapping(reply: Uint8Array): Set<number> {
  const width = reply[1] ?? 0
  return new Set(reply.subarray(32, 32 + 8 * width).filter(keycode => keycode !== 0))
}

export function grabServer(): Uint8Array {
  return request(36, 0, 1)
}

export function ungrabServer(): Uint8Array {
  return request(37, 0, 1)
}

export function getInputFocus(): Uint8Array {
  return request(43, 0, 1)
}

export function readInputFocus(reply: Uint8Array): number {
  return dataView(reply).getUint32(8, true)
}

export function queryTree(window: number): Uint8Array {
  return request(15, 0, 2, data => data.setUint32(4, window, true))
}

export function readParent(reply: Uint8Array): number {
  return dataView(reply).getUint32(12, true)
}

/** Converts coordinates from one window to another, and finds the child of the other window at that point. */
export function translateCoordinates(from: number, to: number, x: number, y: number): Uint8Array {
  return request(40, 0, 4, data => {
    data.setUint32(4, from, true)
    data.setUint32(8, to, true)
    data.setInt16(12, x, true)
    data.setInt16(14, y, true)
  })
}

/** `child` is 0 if there is none. */
export function readTranslated(reply: Uint8Array): { child: number; x: number; y: number } {
  const data = dataView(reply)
  return { child: data.getUint32(8, true), x: data.getInt16(12, true), y: data.getInt16(14, true) }
}

/** The max length of a property in words; the properties that are read here are shorter. */
const maxPropertyWords = 64

/** Requests up to 64 words of a window property of any type. */
export function getProperty(window: number, property: number): Uint8Array {
  return request(20, 0, 6, data => {
    data.setUint32(4, window, true)
    data.setUint32(8, property, true)
    data.setUint32(20, maxPropertyWords, true)
  })
}

/** The words of a property: atoms, windows or numbers. Undefined if the window has no such property. */
export function readProperty(reply: Uint8Array): number[] | undefined {
  const data = dataView(reply)
  const type = data.getUint32(8, true)
  if (type === 0) return
  if (data.getUint8(1) !== 32) return []
  const count = Math.min(data.getUint32(16, true), (data.byteLength - 32) / 4, maxPropertyWords)
  return Array.from({ length: count }, (_, i) => data.getUint32(32 + 4 * i, true))
}

/** Subscribes this client to events of a window. */
export function selectEvents(window: number, mask: number): Uint8Array {
  const eventMask = 0x800
  return request(2, 0, 4, data => {
    data.setUint32(4, window, true)
    data.setUint32(8, eventMask, true)
    data.setUint32(12, mask, true)
  })
}

export const eventMasks = {
  structureNotify: 0x20000,
  substructureNotify: 0x80000,
  propertyChange: 0x400000,
} as const

export const configureNotify = 22

/** The window of a ConfigureNotify event, and its new size. */
export function readConfigured(event: Uint8Array): { window: number; width: number; height: number } {
  const data = dataView(event)
  return {
    window: data.getUint32(8, true),
    width: data.getUint16(20, true),
    height: data.getUint16(22, true),
  }
}

export const propertyNotify = 28

/** The property that a PropertyNotify event reports. */
export function readChangedProperty(event: Uint8Array): number {
  return dataView(event).getUint32(8, true)
}

export const clientMessage = 33

/** A client message of five words to the client that owns the window. */
export function sendClientMessage(window: number, type: number, words: readonly number[]): Uint8Array {
  return request(25, 0, 11, data => {
    data.setUint32(4, window, true)
    data.setUint8(12, clientMessage)
    data.setUint8(13, 32)
    data.setUint32(16, window, true)
    data.setUint32(20, type, true)
    words.forEach((word, i) => {
      data.setUint32(24 + 4 * i, word, true)
    })
  })
}

export function readClientMessage(event: Uint8Array): { type: number; words: number[] } {
  const data = dataView(event)
  return {
    type: data.getUint32(8, true),
    words: Array.from({ length: 5 }, (_, i) => data.getUint32(12 + 4 * i, true)),
  }
}

function nameRequest(opcode: number, name: string): Uint8Array {
  return request(opcode, 0, 2 + Math.ceil(name.length / 4), data => {
    data.setUint16(4, name.length, true)
    for (let i = 0; i < name.length; i++) data.setUint8(8 + i, name.charCodeAt(i))
  })
}
