import { encoding } from '../encodings.ts'
import type { Rect } from '../rect.ts'
import { ascii, join, u8, u16, u32 } from './bytes.ts'
import * as server from './server.ts'
import { storedBlock, zlibHeader } from './stored-zlib.ts'
import { encodeTiles, type Subencoding } from './zrle-tiles.ts'

const at = (x: number, y: number, width: number, height: number): Rect => ({ x, y, width, height })
const pixels = (count: number) => Uint8Array.from({ length: 4 * count }, (_, index) => (index * 37) & 255)

const tiles = (width: number, height: number, colourCount: number, how: Subencoding) => {
  const colours = Array.from({ length: width * height }, (_, index) => ((index >> 1) % colourCount) * 0x3579b)
  return storedBlock(encodeTiles({ width, height, colours }, how))
}

/** One of every message that a server can send, on a screen of 70 by 9 pixels. */
export const wholeSession: Uint8Array = join(
  server.greeting(70, 9, 'everything'),
  server.endOfContinuousUpdates,
  server.fence(0x80000007, ascii('ping')),
  server.update(
    server.rectangle(at(2, 3, 9, 2), encoding.cursor, pixels(18), u8(0xaa, 0x80, 0x55, 0)),
    server.rectangle(at(1, 1, 2, 2), encoding.cursorWithAlpha, u32(0), pixels(4)),
    server.rectangle(
      at(0, 0, 70, 9),
      encoding.extendedDesktopSize,
      u8(1, 0, 0, 0),
      u32(1),
      u16(0, 0, 70, 9),
      u32(0),
    ),
    server.rectangle(at(0, 0, 0, 0), encoding.qemuExtendedKeyEvent),
  ),
  server.update(server.raw(at(0, 1, 70, 2), pixels(140)), server.raw(at(3, 3, 4, 5), pixels(20))),
  server.bell,
  server.update(
    server.copyRect(at(5, 2, 30, 6), 0, 0),
    server.zrle(at(0, 0, 70, 9), join(zlibHeader, tiles(70, 9, 3, 'packed palette'))),
    server.zrle(at(1, 1, 66, 7), tiles(66, 7, 100, 'palette RLE')),
    server.zrle(at(2, 2, 10, 3), tiles(10, 3, 5, 'plain RLE')),
    server.zrle(at(60, 2, 3, 3), tiles(3, 3, 1, 'solid')),
    server.zrle(at(50, 0, 4, 4), tiles(4, 4, 9, 'raw')),
  ),
  server.cutText('grüße'),
  server.clipboard(0x1f000001, u32(0)),
  server.clipboard(0x08000001),
  server.clipboard(0x02000001),
  server.clipboard(0x04000000),
  server.clipboard(0x10000001, zlibHeader, storedBlock(join(u32(6), ascii('a\r\nb!\0')))),
  server.fence(2, ascii('pong')),
  server.update(
    server.rectangle(at(0, 0, 60, 12), encoding.desktopSize),
    server.rectangle(at(7, 8, 0, 0), encoding.vmwareCursorPosition),
    server.raw(at(10, 9, 50, 3), pixels(150)),
  ),
  server.endOfContinuousUpdates,
)
