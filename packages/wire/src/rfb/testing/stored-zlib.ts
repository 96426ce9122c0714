import { join, u8 } from './bytes.ts'

/** The header of a zlib stream. */
export const zlibHeader = u8(0x78, 0x01)

/** Bytes as a stored block of a zlib stream, followed by a sync flush. */
export const storedBlock = (bytes: Uint8Array): Uint8Array =>
  join(u8(0), lengths(bytes.length), bytes, u8(0), lengths(0))

const lengths = (length: number) => u8(length, length >> 8, ~length, ~length >> 8)
