import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { encoding } from './encodings.ts'
import { type Rect, union } from './rect.ts'
import { RfbError } from './rfb-error.ts'
import { ascii, join, u8, u16, u32 } from './testing/bytes.ts'
import { type Recording, record, recordReady } from './testing/recording.ts'
import { bell, clipboard, copyRect, cutText, fence, raw, rectangle, update } from './testing/server.ts'
import { wholeSession } from './testing/whole-session.ts'
import { WorkBudget, workRatesFor } from './work-budget.ts'

const [width, height] = [1920, 1200]
const at = (x: number, y: number, width: number, height: number): Rect => ({ x, y, width, height })
const rates = workRatesFor(width * height)

/** A client of a screen whose time stands still unless a test moves it. */
function guarded(pixelsPerTurn = 1_000_000) {
  const clock = { ms: 0 }
  const budget = new WorkBudget(rates, pixelsPerTurn, () => clock.ms)
  const recording = recordReady(width, height, { budget, prefer: 'raw', maxPixels: width * height })
  return { ...recording, clock, budget }
}

/** Receives everything, and returns how many turns that took. */
function receive({ client }: Pick<Recording, 'client'>, bytes: Uint8Array): number {
  let turns = 1
  for (let isDone = client.receive(bytes); !isDone; isDone = client.proceed()) turns++
  return turns
}

const isFlood = (what: string) => (error: unknown) =>
  error instanceof RfbError && error.code === 'LIMIT' && error.message.includes(what)

function repeated(count: number, piece: () => Uint8Array): Uint8Array {
  const once = piece()
  const whole = new Uint8Array(count * once.length)
  for (let start = 0; start < whole.length; start += once.length) whole.set(once, start)
  return whole
}

const cursorOf = (side: number) =>
  rectangle(at(0, 0, side, side), encoding.cursorWithAlpha, u32(0), new Uint8Array(4 * side * side))

describe('a server that floods its client', () => {
  const scroll = copyRect(at(0, 0, width, height - 1), 0, 1)
  const bomb = deflateSync(Buffer.alloc(1_000_000))
  const floods: Readonly<Record<string, [what: string, chunk: Uint8Array]>> = {
    'with copies of the whole screen': ['pixels', update(...Array.from({ length: 4000 }, () => scroll))],
    'with copies in updates of their own': ['pixels', repeated(4000, () => update(scroll))],
    'with changes of its size': [
      'changes of its size',
      update(
        ...Array.from({ length: 1000 }, (_, n) =>
          rectangle(at(0, 0, 900 + (n % 2), 9), encoding.desktopSize),
        ),
      ),
    ],
    'with tiny rectangles': [
      'messages and rectangles',
      repeated(200, () => update(...Array.from({ length: 1000 }, () => raw(at(1, 1, 1, 1), u8(1, 2, 3, 4))))),
    ],
    'with rectangles of nothing': [
      'messages and rectangles',
      repeated(200, () => update(...Array.from({ length: 1000 }, () => raw(at(0, 0, 0, 0), u8())))),
    ],
    'with bells': ['messages and rectangles', repeated(200_000, () => bell)],
    'with empty updates': ['messages and rectangles', repeated(200_000, () => update())],
    'with fences': ['messages and rectangles', repeated(200_000, () => fence(0x80000000, u8(1)))],
    'with cut texts': ['pixels', repeated(100, () => cutText('x'.repeat(1_000_000)))],
    'with compressed clipboards': ['pixels', repeated(500, () => clipboard(0x10000001, bomb))],
    'with cursors': ['pixels', update(...Array.from({ length: 400 }, () => cursorOf(256)))],
  }
  for (const [name, [what, chunk]] of Object.entries(floods))
    it(`${name} is refused`, () => {
      assert.throws(() => receive(guarded(), chunk), isFlood(what))
    })

  it('is refused although the bytes arrive in small pieces', () => {
    const flooded = guarded()
    const [, chunk] = floods['with copies of the whole screen'] ?? []
    assert.throws(() => {
      for (let start = 0; start < 64_000; start += 100)
        receive(flooded, chunk?.slice(start, start + 100) ?? u8())
    }, isFlood('pixels'))
  })

  it('gains nothing by connecting again', () => {
    const { budget } = guarded()
    const connect = () =>
      receive(
        recordReady(width, height, { budget, prefer: 'raw' }),
        repeated(100, () => update(scroll)),
      )
    connect()
    assert.throws(connect, isFlood('pixels'))
  })

  it('may go on once the time has passed', () => {
    const flooded = guarded()
    receive(
      flooded,
      repeated(100, () => update(scroll)),
    )
    flooded.clock.ms += 1000
    receive(
      flooded,
      repeated(100, () => update(scroll)),
    )
  })
})

describe('what a busy desktop does', () => {
  it('is within the budget: scrolling and drawing the whole screen 60 times per second', () => {
    const desktop = guarded()
    const frame = new Uint8Array(4 * width * height)
    // As TigerVNC divides a picture.
    const rows = Array.from({ length: 35 }, (_, n) => at(0, 34 * n, width, 34))
    const picture = update(
      copyRect(at(0, 0, width, height - 40), 0, 40),
      ...rows.map(row => raw(row, frame.subarray(0, 4 * row.width * row.height))),
    )
    for (let n = 0; n < 130; n++) {
      receive(desktop, picture)
      desktop.clock.ms += 1000 / 60
    }
    assert.equal(desktop.events.length, 130)
  })

  it('is within the budget: a picture of small flat squares 60 times per second', () => {
    const desktop = guarded()
    const pixels = new Uint8Array(4 * 64 * 32)
    const squares = Array.from({ length: 1100 }, (_, n) => at(64 * (n % 30), 32 * Math.floor(n / 30), 64, 32))
    const picture = update(...squares.map(square => raw(square, pixels)))
    for (let n = 0; n < 130; n++) {
      receive(desktop, picture)
      desktop.clock.ms += 1000 / 60
    }
    assert.equal(desktop.events.length, 130)
  })

  it('is within the budget: a large animated cursor, and a screen that is resized by hand', () => {
    const desktop = guarded()
    for (let n = 0; n < 180; n++) {
      receive(desktop, update(cursorOf(128)))
      if (n % 8 === 0)
        receive(desktop, update(rectangle(at(0, 0, width - n, height - n), encoding.desktopSize)))
      desktop.clock.ms += 1000 / 60
    }
    assert.ok(desktop.events.some(({ type }) => type === 'resize'))
  })
})

describe('work that is allowed', () => {
  it('is divided into turns, so that others are not blocked', () => {
    const chunk = update(...Array.from({ length: 100 }, () => copyRect(at(0, 0, 1000, 1000), 1, 1)))
    assert.ok(receive(guarded(1_000_000), chunk) >= 100)
    assert.ok(receive(guarded(10_000_000), chunk) >= 10)
    assert.equal(receive(guarded(Infinity), chunk), 1)
  })

  it('has the same effect however it is divided', () => {
    const run = (pixelsPerTurn: number, length: number) => {
      const budget = new WorkBudget(undefined, pixelsPerTurn)
      const recording = record({ prefer: 'zrle', budget })
      for (let start = 0; start < wholeSession.length; start += length)
        receive(recording, wholeSession.slice(start, start + length))
      recording.client.end()
      return { events: recording.events, sent: recording.sent(), picture: recording.client.framebuffer }
    }
    const whole = run(Infinity, wholeSession.length)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 3000 }), (pixels, length) => {
        assert.deepEqual(run(pixels, length), whole)
      }),
      { seed: 16, numRuns: 100 },
    )
  })

  it('must be completed before more is received', () => {
    const { client } = guarded(1)
    assert.equal(client.receive(join(bell, bell)), false)
    assert.throws(() => client.receive(bell), /have not been processed/)
  })
})

describe('random messages of a hostile server', () => {
  it('never cause more work than the budget', () => {
    const side = fc.nat(width)
    const header = fc
      .tuple(side, side, side, side, fc.constantFrom(...Object.values(encoding)))
      .map(([x, y, w, h, number]) => join(u16(x, y, w, h), u32(number)))
    const copy = fc
      .tuple(fc.nat(900), fc.nat(600), fc.nat(1000), fc.nat(600), fc.nat(900), fc.nat(600))
      .map(([x, y, w, h, fromX, fromY]) => copyRect(at(x, y, w, h), fromX, fromY))
    const message = fc.oneof(
      fc.array(copy, { maxLength: 50 }).map(rects => update(...rects)),
      fc.array(header, { maxLength: 5 }).map(rects => update(...rects)),
      fc.constantFrom(bell, fence(0, ascii('a')), update(), cutText('text')),
      fc.uint8Array({ maxLength: 30 }),
    )
    fc.assert(
      fc.property(fc.array(message, { maxLength: 30 }), messages => {
        const { client, events } = guarded()
        try {
          for (let round = 0; round < 5; round++) for (const bytes of messages) receive({ client }, bytes)
        } catch (error) {
          if (!(error instanceof RfbError)) throw error
        }
        const drawn = events.flatMap(event => (event.type === 'update' ? event.rects : []))
        assert.ok(drawn.reduce((sum, rect) => sum + rect.width * rect.height, 0) <= rates.pixels)
        assert.ok(events.filter(({ type }) => type === 'resize').length <= rates.messages)
        assert.ok(client.framebuffer.width * client.framebuffer.height <= width * height)
      }),
      { seed: 16, numRuns: 60 },
    )
  })

  it('that use an encoding which was not requested are refused', () => {
    const { client } = guarded()
    const zrle = rectangle(at(0, 0, 64, 64), encoding.zrle, u32(0))
    assert.throws(() => client.receive(update(zrle)), /encoding 16, which was not requested/)
  })

  it('are reported as one area if an update has very many rectangles', () => {
    const { client, events } = guarded(Infinity)
    const dot = (n: number) => raw(at(2 * (n % 900), Math.floor(n / 900), 1, 1), u8(9, 9, 9, 9))
    client.receive(update(...Array.from({ length: 60_000 }, (_, n) => dot(n))))
    const [drawn] = events.flatMap(event => (event.type === 'update' ? [event.rects] : []))
    assert.ok(drawn && drawn.length <= 2001)
    assert.deepEqual(drawn.reduce(union), at(0, 0, 1799, 67))
  })

  it('cannot name a desktop at length, or claim a cursor or a screen beyond the limits', () => {
    const limit = (error: unknown) => error instanceof RfbError && error.code === 'LIMIT'
    const { client } = record()
    const claim = join(ascii('RFB 003.008\n'), u8(1, 1), u32(0), u16(1, 1), new Uint8Array(16), u32(5000))
    assert.throws(() => client.receive(claim), limit)
    assert.throws(() => receive(guarded(), update(cursorOf(257))), limit)
    const huge = rectangle(at(0, 0, 7680, 4320), encoding.desktopSize)
    assert.throws(() => receive(guarded(), update(huge)), limit)
  })
})
