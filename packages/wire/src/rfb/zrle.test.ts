import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { constants, createDeflate, deflateSync } from 'node:zlib'
import fc from 'fast-check'
import type { Rect } from './rect.ts'
import { RfbError } from './rfb-error.ts'
import { join, u8 } from './testing/bytes.ts'
import { recordReady, rgb } from './testing/recording.ts'
import { update, zrle } from './testing/server.ts'
import { encodeTiles, maxColours, type Picture, subencodings } from './testing/zrle-tiles.ts'

/** Deflates each part up to a flush, as one stream. */
async function deflateParts(
  parts: readonly Uint8Array[],
  level: number,
  flush: number,
): Promise<Uint8Array[]> {
  const stream = createDeflate({ level })
  const deflated: Uint8Array[] = []
  for (const part of parts) {
    stream.write(part)
    await new Promise<void>(flushed => stream.flush(flush, flushed))
    deflated.push(stream.read() ?? u8())
  }
  stream.destroy()
  await once(stream, 'close')
  return deflated
}

const deflate = (bytes: Uint8Array) => deflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })
const whole = ({ width, height }: { width: number; height: number }): Rect => ({ x: 0, y: 0, width, height })
const bytesOf = ({ colours }: Picture) => colours.flatMap(c => [c >> 16, (c >> 8) & 255, c & 255])

/** Pictures with runs and, in most tiles, few enough colours. */
const pictureOf = (colourCount: number): fc.Arbitrary<Picture> =>
  fc
    .record({
      width: fc.integer({ min: 1, max: 150 }),
      height: fc.integer({ min: 1, max: 100 }),
      palette: fc.array(fc.nat(0xffffff), { minLength: 1, maxLength: colourCount }),
      runs: fc.array(fc.record({ index: fc.nat(), length: fc.integer({ min: 1, max: 900 }) }), {
        minLength: 1,
      }),
    })
    .map(({ width, height, palette, runs }) => {
      const pattern = runs.flatMap(({ index, length }) =>
        new Array<number>(length % 3 ? 1 : length).fill(palette[index % palette.length] ?? 0),
      )
      const colours = Array.from({ length: width * height }, (_, at) => pattern[at % pattern.length] ?? 0)
      return { width, height, colours }
    })

describe('ZRLE', () => {
  for (const subencoding of subencodings)
    it(`draws any picture in subencoding ${subencoding}, several through one zlib stream`, async () => {
      const pictures = fc.array(pictureOf(Math.min(200, maxColours[subencoding])), {
        minLength: 1,
        maxLength: 3,
      })
      const flushes = fc.constantFrom(
        constants.Z_SYNC_FLUSH,
        constants.Z_PARTIAL_FLUSH,
        constants.Z_FULL_FLUSH,
      )
      await fc.assert(
        fc.asyncProperty(pictures, fc.constantFrom(0, 1, 6, 9), flushes, async (some, level, flush) => {
          const parts = some.map(picture => encodeTiles(picture, subencoding))
          const deflated = await deflateParts(parts, level, flush)
          const { client } = recordReady(150, 100)
          for (const [index, picture] of some.entries()) {
            client.receive(update(zrle(whole(picture), deflated[index] ?? u8())))
            assert.deepEqual(rgbWithin(client.framebuffer, picture), bytesOf(picture))
          }
        }),
        { numRuns: 40 },
      )
    })

  it('draws a picture of noise that spans many portions of the stream and many chunks', () => {
    const colours = Array.from({ length: 300 * 200 }, (_, at) => (at * 2654435761) & 0xffffff)
    const picture = { width: 300, height: 200, colours }
    const { client } = recordReady(300, 200)
    const bytes = update(zrle(whole(picture), deflate(encodeTiles(picture, 'raw'))))
    for (let at = 0; at < bytes.length; at += 7919) client.receive(bytes.subarray(at, at + 7919))
    assert.deepEqual(rgb(client), bytesOf(picture))
  })

  const red = [255, 0, 0]
  const blue = [0, 0, 255]
  const cases: readonly [what: string, tile: number[], pixels: number[]][] = [
    [
      'raw',
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18],
      [...Array(19).keys()].slice(1),
    ],
    ['one colour', [1, ...red], [red, red, red, red, red, red].flat()],
    ['a bit a pixel', [2, ...red, ...blue, 0b10100000, 0b01000000], [blue, red, blue, red, blue, red].flat()],
    [
      'two bits a pixel',
      [3, ...red, ...blue, 9, 9, 9, 0b10_01_00_00, 0b00_01_10_00],
      [[9, 9, 9], blue, red, red, blue, [9, 9, 9]].flat(),
    ],
    [
      'four bits a pixel',
      [5, ...red, ...blue, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0x01, 0x20, 0x34, 0x00],
      [red, blue, [1, 1, 1], [2, 2, 2], [3, 3, 3], red].flat(),
    ],
    ['runs', [128, ...red, 3, ...blue, 1], [red, red, red, red, blue, blue].flat()],
    ['runs of a palette', [130, ...red, ...blue, 1, 128, 3, 1], [blue, red, red, red, red, blue].flat()],
  ]
  for (const [what, tile, pixels] of cases)
    it(`reads a tile of ${what} as the specification writes it`, () => {
      const { client, events } = recordReady(3, 2)
      const rect = { x: 0, y: 0, width: 3, height: 2 }
      client.receive(update(zrle(rect, deflate(Uint8Array.from(tile)))))
      assert.deepEqual(rgb(client), pixels)
      assert.deepEqual(events, [{ type: 'update', rects: [rect] }])
    })

  it('reads a run of 4096 pixels, whose length takes seventeen bytes', () => {
    const { client } = recordReady(64, 64)
    const tile = u8(128, ...blue, ...new Array(16).fill(255), 15)
    client.receive(update(zrle(whole(client.framebuffer), deflate(tile))))
    assert.ok(client.framebuffer.words.every(word => word === client.framebuffer.words[0]))
    assert.deepEqual(rgb(client).slice(-3), blue)
  })
})

function rgbWithin(framebuffer: { width: number; pixels: Uint8Array }, { width, height }: Picture): number[] {
  const found: number[] = []
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = 4 * (y * framebuffer.width + x)
      found.push(...framebuffer.pixels.subarray(at, at + 3))
    }
  return found
}

describe('ZRLE is rejected', () => {
  const cases: readonly [what: string, deflated: Uint8Array, message: RegExp][] = [
    ['when a subencoding is unused', deflate(u8(17)), /subencoding 17/],
    ['when a palette RLE has one colour', deflate(u8(129)), /subencoding 129/],
    [
      'when a run leaves its tile',
      deflate(u8(128, 1, 2, 3, 4)),
      /a run ends at pixel 5 of a tile that has 4/,
    ],
    [
      'when a packed index has no colour',
      deflate(u8(3, ...new Array(9).fill(0), 0xff, 0)),
      /colour 3 .* has 3/,
    ],
    [
      'when an index has no colour',
      deflate(u8(130, 0, 0, 0, 0, 0, 0, 2)),
      /colour 2 of a palette that has 2/,
    ],
    ['when the tiles end too early', deflate(u8(0, 1, 2, 3)), /ends before its last tile/],
    ['when it is empty', u8(), /ends before its last tile/],
    ['when bytes are left', deflate(u8(1, 1, 2, 3, 4)), /goes on after its last tile/],
    ['when it is not zlib', u8(1, 2, 3, 4, 5, 6, 7), /zlib stream is broken/],
    [
      'when a block of the zlib stream is invalid',
      u8(0x78, 0x9c, 0xff, 0xff, 0xff, 0xff, 0xff),
      /zlib stream is broken/,
    ],
    [
      'when the stream continues after its end',
      join(deflateSync(u8(1, 1, 2, 3)), new Uint8Array(200_000)),
      /bytes of the zlib stream produced no output/,
    ],
  ]
  for (const [what, deflated, message] of cases)
    it(what, () => {
      const { client } = recordReady(2, 2)
      assert.throws(
        () => client.receive(update(zrle({ x: 0, y: 0, width: 2, height: 2 }, deflated))),
        error => error instanceof RfbError && error.code === 'MALFORMED' && message.test(error.message),
      )
    })
})

it('a run without an end is refused instead of being inflated', () => {
  const { client } = recordReady(64, 64)
  const run = Buffer.alloc(200_000_000, 255)
  run.set(u8(128, 1, 2, 3))
  const endless = deflateSync(run)
  const before = process.memoryUsage().arrayBuffers
  assert.throws(
    () => client.receive(update(zrle({ x: 0, y: 0, width: 64, height: 64 }, endless))),
    /a run ends at pixel/,
  )
  // One portion expands to 17 MB, which fflate copies several times; nothing of that may have been collected yet.
  assert.ok(process.memoryUsage().arrayBuffers - before < 120_000_000)
})
