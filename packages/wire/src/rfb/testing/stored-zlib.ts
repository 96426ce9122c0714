import { join, u8 } from './bytes.ts'

/** What begins a zlib stream. */
export const zlibHeader = u8(0x78, 0x01)

/** Bytes as they are in one block of a zlib stream, and the sync flush after it. */
export const storedBlock = (bytes: Uint8Array): Uint8Array =>
  join(u8(0), lengths(bytes.length), bytes, u8(0), lengths(0))

const lengths = (length: number) => u8(length, length >> 8, ~length, ~length >> 8)
