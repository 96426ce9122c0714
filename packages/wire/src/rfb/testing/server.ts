import { encoding } from '../encodings.ts'
import type { Rect } from '../rect.ts'
import { ascii, join, u8, u16, u32 } from './bytes.ts'

/** Server messages as bytes. */
export const text = (content: string) => join(u32(content.length), ascii(content))

export const serverInit = (width: number, height: number, name = 'test') =>
  join(u16(width, height), new Uint8Array(16), text(name))

/** A complete 3.8 handshake without authentication. */
export const greeting = (width: number, height: number, name?: string) =>
  join(ascii('RFB 003.008\n'), u8(1, 1), u32(0), serverInit(width, height, name))

export const update = (...rects: readonly Uint8Array[]) => join(u8(0, 0), u16(rects.length), ...rects)

export const rectangle = ({ x, y, width, height }: Rect, number: number, ...data: readonly Uint8Array[]) =>
  join(u16(x, y, width, height), u32(number), ...data)

export const raw = (rect: Rect, pixels: Uint8Array) => rectangle(rect, encoding.raw, pixels)

export const copyRect = (rect: Rect, fromX: number, fromY: number) =>
  rectangle(rect, encoding.copyRect, u16(fromX, fromY))

export const zrle = (rect: Rect, deflated: Uint8Array) =>
  rectangle(rect, encoding.zrle, u32(deflated.length), deflated)

export const fence = (flags: number, payload: Uint8Array) =>
  join(u8(248, 0, 0, 0), u32(flags), u8(payload.length), payload)

export const endOfContinuousUpdates = u8(150)
export const bell = u8(2)

/** An extended clipboard message. */
export const clipboard = (flags: number, ...payload: readonly Uint8Array[]) => {
  const bytes = join(u32(flags), ...payload)
  return join(u8(3, 0, 0, 0), u32(-bytes.length), bytes)
}

export const cutText = (content: string) => join(u8(3, 0, 0, 0), text(content))
