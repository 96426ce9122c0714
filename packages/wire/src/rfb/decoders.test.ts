import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { encoding } from './encodings.ts'
import type { Rect } from './rect.ts'
import { RfbError, type RfbErrorCode } from './rfb-error.ts'
import { join, u8, u16, u32 } from './testing/bytes.ts'
import { recordReady, rgb } from './testing/recording.ts'
import { bell, copyRect, raw, rectangle, update } from './testing/server.ts'

const at = (x: number, y: number, width: number, height: number): Rect => ({ x, y, width, height })
const pixels = (...colours: readonly number[]) => join(...colours.map(c => u8(c >> 16, c >> 8, c, 0)))
const fails = (code: RfbErrorCode) => (error: unknown) => error instanceof RfbError && error.code === code

describe('a raw rectangle', () => {
  it('changes only its own pixels of the framebuffer', () => {
    const { client, events } = recordReady(3, 3)
    client.receive(update(raw(at(1, 1, 2, 2), pixels(0x010203, 0x040506, 0x070809, 0x0a0b0c))))
    const rows = [new Array(9).fill(0), [0, 0, 0, 1, 2, 3, 4, 5, 6], [0, 0, 0, 7, 8, 9, 10, 11, 12]]
    assert.deepEqual(rgb(client), rows.flat())
    assert.deepEqual(events, [{ type: 'update', rects: [at(1, 1, 2, 2)] }])
  })

  it('can have the full width', () => {
    const { client } = recordReady(2, 3)
    client.receive(update(raw(at(0, 1, 2, 2), pixels(1, 2, 3, 4))))
    assert.deepEqual(rgb(client), [...new Array(6).fill(0), 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4])
  })

  it('can be empty and is then not reported as damage', () => {
    const { client, events } = recordReady(2, 2)
    client.receive(join(update(raw(at(2, 2, 0, 0), u8()), raw(at(0, 1, 2, 0), u8())), update(), bell))
    assert.deepEqual(events, [{ type: 'update', rects: [] }, { type: 'update', rects: [] }, { type: 'bell' }])
  })
})

describe('a CopyRect rectangle', () => {
  it('copies correctly even if source and target overlap', () => {
    const side = 6
    const picture = Array.from({ length: side * side }, (_, index) => index + 1)
    const place = fc.nat({ max: side - 1 })
    fc.assert(
      fc.property(place, place, place, place, place, place, (x, y, toX, toY, w, h) => {
        const width = Math.min(w + 1, side - Math.max(x, toX))
        const height = Math.min(h + 1, side - Math.max(y, toY))
        const { client, events } = recordReady(side, side)
        const [whole, target] = [at(0, 0, side, side), at(toX, toY, width, height)]
        client.receive(update(raw(whole, pixels(...picture)), copyRect(target, x, y)))
        assert.deepEqual(events, [{ type: 'update', rects: [whole, { ...target, from: { x, y } }] }])
        const expected = [...picture]
        for (let row = 0; row < height; row++)
          for (let column = 0; column < width; column++)
            expected[(toY + row) * side + toX + column] = picture[(y + row) * side + x + column] ?? 0
        assert.deepEqual(
          rgb(client).filter((_, index) => index % 3 === 2),
          expected,
        )
      }),
    )
  })
})

describe('a cursor', () => {
  it('is opaque where its mask has a bit set', () => {
    const { client, events } = recordReady(1, 1)
    const colours = Array.from({ length: 9 * 2 }, (_, index) => index * 0x010101)
    client.receive(
      update(rectangle(at(4, 1, 9, 2), encoding.cursor, pixels(...colours), u8(0x80, 0x80, 0x01, 0))),
    )
    const rgba = pixels(...colours)
    for (const opaque of [0, 8, 9 + 7]) rgba[4 * opaque + 3] = 255
    assert.deepEqual(events, [
      { type: 'cursor', width: 9, height: 2, hotX: 4, hotY: 1, rgba },
      { type: 'update', rects: [] },
    ])
  })

  it('with alpha is reported with straight alpha', () => {
    const { client, events } = recordReady(1, 1)
    const data = u8(100, 50, 0, 100, 1, 2, 3, 255, 0, 0, 0, 0, 200, 0, 0, 100)
    client.receive(update(rectangle(at(1, 2, 2, 2), encoding.cursorWithAlpha, u32(0), data)))
    const rgba = u8(255, 128, 0, 100, 1, 2, 3, 255, 0, 0, 0, 0, 255, 0, 0, 100)
    assert.deepEqual(events[0], { type: 'cursor', width: 2, height: 2, hotX: 1, hotY: 2, rgba })
  })

  it('without pixels is invisible', () => {
    const { client, events } = recordReady(1, 1)
    client.receive(update(rectangle(at(0, 0, 0, 0), encoding.cursor)))
    assert.deepEqual(events[0], { type: 'cursor', width: 0, height: 0, hotX: 0, hotY: 0, rgba: u8() })
  })

  it('is rejected if it is too large, or has alpha in an encoding other than raw', () => {
    const cases = [
      [rectangle(at(0, 0, 101, 100), encoding.cursor), 'LIMIT'],
      [rectangle(at(0, 0, 101, 100), encoding.cursorWithAlpha), 'LIMIT'],
      [rectangle(at(0, 0, 1, 1), encoding.cursorWithAlpha, u32(16)), 'UNSUPPORTED'],
    ] as const
    for (const [bytes, code] of cases) {
      const { client } = recordReady(1, 1, { maxCursorPixels: 10_000 })
      assert.throws(() => client.receive(update(bytes)), fails(code))
    }
  })
})

describe('a resize', () => {
  const extended = (reason: number, status: number, width: number, height: number) =>
    rectangle(
      at(reason, status, width, height),
      encoding.extendedDesktopSize,
      u8(1, 0, 0, 0),
      u32(7),
      u16(0, 0, width, height),
      u32(9),
    )
  const screens = [{ id: 7, x: 0, y: 0, width: 3, height: 1, flags: 9 }]

  it('keeps the common part and discards earlier damage', () => {
    const { client, events } = recordReady(2, 2)
    client.receive(
      update(
        raw(at(0, 0, 2, 2), pixels(1, 2, 3, 4)),
        rectangle(at(0, 0, 3, 1), encoding.desktopSize),
        raw(at(2, 0, 1, 1), pixels(5)),
      ),
    )
    assert.deepEqual(rgb(client), [0, 0, 1, 0, 0, 2, 0, 0, 5])
    assert.deepEqual(events, [
      { type: 'resize', width: 3, height: 1, reason: 'server', screens: [] },
      { type: 'update', rects: [at(2, 0, 1, 1)] },
    ])
  })

  it('reports its reason and the screens', () => {
    for (const [index, reason] of ['server', 'this-client', 'other-client', 'server'].entries()) {
      const { client, events } = recordReady(2, 2)
      client.receive(update(extended(index, 0, 3, 1)))
      assert.deepEqual(events, [
        { type: 'supported', feature: 'set-desktop-size' },
        { type: 'resize', width: 3, height: 1, reason, screens },
        { type: 'update', rects: [] },
      ])
      assert.equal(client.framebuffer.pixels.length, 12)
    }
  })

  it('to the same size keeps the framebuffer and its damage', () => {
    const { client, events } = recordReady(3, 1)
    const { framebuffer } = client
    client.receive(update(raw(at(0, 0, 1, 1), pixels(1)), extended(0, 0, 3, 1)))
    assert.equal(client.framebuffer, framebuffer)
    assert.deepEqual(events.at(-1), { type: 'update', rects: [at(0, 0, 1, 1)] })
  })

  it('that was refused changes nothing', () => {
    for (const [status, refusal] of [
      [1, 'prohibited'],
      [2, 'out-of-resources'],
      [3, 'invalid-layout'],
      [4, 'other'],
    ] as const) {
      const { client, events } = recordReady(2, 2)
      client.receive(update(extended(1, status, 3, 1)))
      assert.deepEqual(events[1], { type: 'resize-refused', refusal })
      assert.equal(client.framebuffer.width, 2)
    }
  })

  it('beyond the limit is an error', () => {
    for (const rect of [rectangle(at(0, 0, 101, 100), encoding.desktopSize), extended(0, 0, 101, 100)]) {
      const { client } = recordReady(1, 1, { maxPixels: 10_000 })
      assert.throws(() => client.receive(update(rect)), fails('LIMIT'))
    }
  })
})

describe('an update', () => {
  it('can end with LastRect if the server did not know the number of rectangles', () => {
    const { client, events } = recordReady(1, 1)
    const [first, last] = [raw(at(0, 0, 1, 1), pixels(1)), rectangle(at(0, 0, 0, 0), encoding.lastRect)]
    client.receive(join(u8(0, 0), u16(65535), first, last, bell))
    assert.deepEqual(events, [{ type: 'update', rects: [at(0, 0, 1, 1)] }, { type: 'bell' }])
  })

  it('reports the pointer position and support for scancodes', () => {
    const { client, events } = recordReady(5, 5)
    client.receive(
      update(
        rectangle(at(3, 4, 0, 0), encoding.vmwareCursorPosition),
        rectangle(at(5, 4, 0, 0), encoding.vmwareCursorPosition),
        rectangle(at(0, 0, 0, 0), encoding.qemuExtendedKeyEvent),
        rectangle(at(0, 0, 0, 0), encoding.qemuExtendedKeyEvent),
      ),
    )
    assert.deepEqual(events, [
      { type: 'pointer', x: 3, y: 4 },
      { type: 'supported', feature: 'qemu-key-event' },
      { type: 'update', rects: [] },
    ])
  })

  it('is rejected if it is not within the framebuffer', () => {
    for (const rect of [
      raw(at(1, 0, 2, 1), u8()),
      raw(at(0, 65535, 1, 65535), u8()),
      copyRect(at(0, 1, 1, 2), 0, 0),
      copyRect(at(0, 0, 1, 1), 2, 0),
      rectangle(at(0, 0, 3, 1), encoding.zrle),
    ]) {
      const { client } = recordReady(2, 2)
      assert.throws(() => client.receive(update(rect)), fails('OUTSIDE'))
    }
  })

  it('is rejected if it uses an unknown encoding', () => {
    const { client } = recordReady(2, 2)
    assert.throws(() => client.receive(update(rectangle(at(0, 0, 1, 1), 7))), fails('MALFORMED'))
  })
})
