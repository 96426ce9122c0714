import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deflateSync, inflateSync } from 'node:zlib'
import * as say from './client-messages.ts'
import { RfbError } from './rfb-error.ts'
import { ascii, join, u8, u16, u32 } from './testing/bytes.ts'
import { recordReady } from './testing/recording.ts'
import { bell, clipboard, cutText, endOfContinuousUpdates, fence } from './testing/server.ts'

describe('a server message', () => {
  it('can be a bell', () => {
    const { client, events } = recordReady(1, 1)
    client.receive(join(bell, bell))
    assert.deepEqual(events, [{ type: 'bell' }, { type: 'bell' }])
  })

  it('can be a cut text in Latin-1, which is not decoded as windows-1252', () => {
    const { client, events } = recordReady(1, 1)
    const all = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code))
    client.receive(join(cutText(all), cutText(''), cutText('é'.repeat(100_000))))
    assert.deepEqual(
      events,
      [all, '', 'é'.repeat(100_000)].map(text => ({ type: 'cut-text', text })),
    )
  })

  it('can announce the extended clipboard, which is answered with the capabilities of the client', () => {
    const { client, events, sent } = recordReady(1, 1)
    client.receive(clipboard(0x1f000001, u32(0)))
    assert.deepEqual(events, [{ type: 'supported', feature: 'extended-clipboard' }])
    assert.deepEqual(sent(), join(u8(6, 0, 0, 0), u32(-8, 0x1f000001, 0)))
  })

  it('can offer, request and provide a clipboard in UTF-8 with CRLF line ends', () => {
    const { client, events } = recordReady(1, 1)
    const bytes = new TextEncoder().encode('Grüße 世界\r\n😀\0')
    const deflated = deflateSync(join(u32(bytes.length), bytes))
    client.receive(join(clipboard(0x08000001), clipboard(0x08000000), clipboard(0x02000001)))
    client.receive(join(clipboard(0x04000000), clipboard(0x10000001, deflated), bell))
    assert.deepEqual(events, [
      { type: 'clipboard-offer', hasText: true },
      { type: 'clipboard-offer', hasText: false },
      { type: 'clipboard-request', what: 'text' },
      { type: 'clipboard-request', what: 'offer' },
      { type: 'clipboard', text: 'Grüße 世界\n😀' },
      { type: 'bell' },
    ])
  })

  it('cannot provide a clipboard beyond the limit, however well it is compressed', () => {
    const bomb = deflateSync(join(u32(400_000_000), new Uint8Array(400_000_000)))
    const huge = deflateSync(join(u32(2_000_000), new Uint8Array(2_000_000).fill(65)))
    const short = deflateSync(u32(50))
    const before = process.memoryUsage().rss
    for (const [deflated, code] of [
      [bomb, 'LIMIT'],
      [huge, 'LIMIT'],
      [short, 'MALFORMED'],
      [u8(1, 2, 3), 'MALFORMED'],
    ] as const)
      assert.throws(
        () => recordReady(1, 1).client.receive(clipboard(0x10000001, deflated)),
        error => error instanceof RfbError && error.code === code,
      )
    assert.ok(process.memoryUsage().rss - before < 150_000_000)
  })

  it('can be a fence, which is answered at once without unsupported flags', () => {
    const { client, events, sent } = recordReady(1, 1)
    client.receive(fence(0xffffffff, ascii('abc')))
    assert.deepEqual(sent(), say.fence(3, ascii('abc')))
    assert.deepEqual(events, [{ type: 'supported', feature: 'fence' }])
  })

  it('can be the answer to a fence of the client', () => {
    const { client, events, sent } = recordReady(1, 1)
    client.receive(fence(1, u8(7)))
    assert.deepEqual(sent(), u8())
    assert.deepEqual(events.slice(1), [{ type: 'fence', flags: 1, payload: u8(7) }])
  })

  it('announces continuous updates first, and later that they have ended', () => {
    const { client, events } = recordReady(1, 1)
    client.receive(join(endOfContinuousUpdates, endOfContinuousUpdates))
    assert.deepEqual(events, [
      { type: 'supported', feature: 'continuous-updates' },
      { type: 'continuous-updates-ended' },
    ])
  })

  it('is rejected if it is unknown, too long, or a fence with too much data', () => {
    const cases = [
      [u8(77), 'MALFORMED'],
      [join(u8(3, 0, 0, 0), u32(0x7fffffff)), 'LIMIT'],
      [fence(0, new Uint8Array(65)), 'MALFORMED'],
      [clipboard(1), 'MALFORMED'],
      [join(u8(3, 0, 0, 0), u32(-3), u8(1, 2, 3)), 'MALFORMED'],
      [join(u8(3, 0, 0, 0), u32(0x80000000)), 'LIMIT'],
    ] as const
    for (const [bytes, code] of cases) {
      const { client } = recordReady(1, 1)
      assert.throws(
        () => client.receive(bytes),
        error => error instanceof RfbError && error.code === code,
      )
    }
  })
})

describe('a client message', () => {
  const rect = { x: 1, y: 2, width: 300, height: 4 }

  it('can request an update', () => {
    assert.deepEqual(say.framebufferUpdateRequest(rect, true), join(u8(3, 1), u16(1, 2, 300, 4)))
    assert.deepEqual(say.framebufferUpdateRequest(rect, false), join(u8(3, 0), u16(1, 2, 300, 4)))
  })

  it('can press a key by keysym, with or without a scancode', () => {
    assert.deepEqual(say.keyEvent(0x1000394, true), u8(4, 1, 0, 0, 1, 0, 3, 0x94))
    assert.deepEqual(say.qemuKeyEvent(0xff0d, 0x1c, false), join(u8(255, 0, 0, 0), u32(0xff0d, 0x1c)))
  })

  it('can move the pointer and press its buttons', () => {
    assert.deepEqual(say.pointerEvent(258, 3, 0b101), u8(5, 5, 1, 2, 0, 3))
  })

  it('can be a cut text, with a question mark for what Latin-1 lacks', () => {
    assert.deepEqual(say.clientCutText('aé€😀'), join(u8(6, 0, 0, 0), u32(4), u8(0x61, 0xe9, 0x3f, 0x3f)))
  })

  it('can offer, request and provide a clipboard', () => {
    assert.deepEqual(say.clipboardOffer(true), join(u8(6, 0, 0, 0), u32(-4, 0x08000001)))
    assert.deepEqual(say.clipboardOffer(false), join(u8(6, 0, 0, 0), u32(-4, 0x08000000)))
    assert.deepEqual(say.clipboardRequest(), join(u8(6, 0, 0, 0), u32(-4, 0x02000001)))
    const brought = say.clipboardText('ü\n')
    assert.deepEqual(brought.subarray(0, 12), join(u8(6, 0, 0, 0), u32(8 - brought.length, 0x10000001)))
    const inflated = new Uint8Array(inflateSync(brought.subarray(12)))
    assert.deepEqual(inflated, join(u32(5), u8(0xc3, 0xbc, 13, 10, 0)))
  })

  it('can turn continuous updates on and off', () => {
    assert.deepEqual(say.enableContinuousUpdates(true, rect), join(u8(150, 1), u16(1, 2, 300, 4)))
    assert.deepEqual(say.enableContinuousUpdates(false, rect), join(u8(150, 0), u16(1, 2, 300, 4)))
  })

  it('can be a fence of at most 64 bytes', () => {
    assert.deepEqual(say.fenceRequest(1, u8(9, 8)), join(u8(248, 0, 0, 0), u32(0x80000001), u8(2, 9, 8)))
    assert.throws(() => say.fence(0, new Uint8Array(65)), RangeError)
  })

  it('can request another size', () => {
    assert.deepEqual(
      say.setDesktopSize(300, 4, [{ id: 5, ...rect, flags: 6 }]),
      join(u8(251, 0), u16(300, 4), u8(1, 0), u32(5), u16(1, 2, 300, 4), u32(6)),
    )
  })
})
