import assert from 'node:assert/strict'
import { test } from 'node:test'
import { constants, deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { RfbError } from './rfb-error.ts'
import { join, u8, u32 } from './testing/bytes.ts'
import { record, recordReady } from './testing/recording.ts'
import { bell, greeting, rectangle, update, zrle } from './testing/server.ts'
import { wholeSession } from './testing/whole-session.ts'
import { encodeTiles } from './testing/zrle-tiles.ts'

const isRfbError = (error: unknown) => error instanceof RfbError

test('after an error the client throws the same error again', () => {
  const { client, events } = recordReady(1, 1)
  let first: unknown
  try {
    client.receive(u8(99))
  } catch (error) {
    first = error
  }
  assert.ok(isRfbError(first))
  for (const again of [() => client.receive(bell), () => client.end()])
    assert.throws(again, error => error === first)
  assert.deepEqual(events, [])
})

test('an exception of the listener ends the client', () => {
  const { client, events } = recordReady(1, 1)
  const refusal = new Error('no bells')
  events.push = () => {
    throw refusal
  }
  assert.throws(() => client.receive(bell), refusal)
  assert.throws(() => client.receive(bell), refusal)
})

test('a stream can end between two messages', () => {
  const { client } = recordReady(1, 1)
  client.receive(bell)
  client.end()
})

test('a stream that ends elsewhere is reported as truncated', () => {
  const started = greeting(2, 2)
  const messages = [u8(0, 0), u8(3), u8(248, 0, 0), update(rectangle({ x: 0, y: 0, width: 2, height: 2 }, 0))]
  const cases = [
    u8(),
    started.subarray(0, 11),
    started.subarray(0, -1),
    ...messages.map(m => join(started, m)),
  ]
  for (const bytes of cases) {
    const { client } = record()
    client.receive(bytes)
    assert.throws(
      () => client.end(),
      error => error instanceof RfbError && error.code === 'TRUNCATED',
    )
  }
})

test('a corrupted session causes no other error than an RfbError', () => {
  const place = fc.nat(wholeSession.length - 1)
  const edit = fc.record({ place, removed: fc.nat(8), added: fc.uint8Array({ maxLength: 8 }) })
  const limits = {
    prefer: 'zrle',
    maxPixels: 100_000,
    maxCursorPixels: 10_000,
    maxTextBytes: 10_000,
  } as const
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), place, (edits, cut) => {
      let bytes = wholeSession
      for (const { place: at, removed, added } of edits)
        bytes = join(bytes.subarray(0, at), added, bytes.subarray(at + removed))
      const { client } = record(limits)
      try {
        client.receive(bytes.subarray(0, cut))
        client.receive(bytes.subarray(cut))
        client.end()
      } catch (error) {
        if (!isRfbError(error)) throw error
      }
      assert.ok(client.framebuffer.width * client.framebuffer.height <= limits.maxPixels)
    }),
    { numRuns: 3000 },
  )
})

test('corrupted compressed tiles cause no other error than an RfbError', () => {
  const picture = {
    width: 64,
    height: 64,
    colours: Array.from({ length: 4096 }, (_, at) => (at * at) % 5000),
  }
  const tiles = encodeTiles(picture, 'raw')
  const deflated = deflateSync(tiles, { finishFlush: constants.Z_SYNC_FLUSH })
  const edit = fc.record({ place: fc.nat(deflated.length - 1), value: fc.nat(255) })
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), edits => {
      const bytes = Uint8Array.from(deflated)
      for (const { place, value } of edits) bytes[place] = value
      const { client } = recordReady(64, 64)
      try {
        client.receive(update(zrle({ x: 0, y: 0, width: 64, height: 64 }, bytes)))
      } catch (error) {
        if (!isRfbError(error)) throw error
      }
    }),
    { numRuns: 1000 },
  )
})

test('arbitrary bytes after the handshake cause no other error than an RfbError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), bytes => {
      const { client } = recordReady(40, 30, { maxPixels: 100_000 })
      try {
        client.receive(bytes)
        client.end()
      } catch (error) {
        if (!isRfbError(error)) throw error
      }
    }),
    { numRuns: 2000 },
  )
})

test('a zlib bomb is stopped after its first portion', () => {
  const bomb = deflateSync(Buffer.alloc(100_000_000), { level: 9, finishFlush: constants.Z_SYNC_FLUSH })
  const { client } = recordReady(2, 2)
  const before = process.memoryUsage().rss
  const rect = { x: 0, y: 0, width: 2, height: 2 }
  assert.throws(() => client.receive(update(zrle(rect, bomb))), /goes on after its last tile/)
  assert.ok(process.memoryUsage().rss - before < 150_000_000)
})

test('announcing a length without sending the bytes allocates no memory', () => {
  const before = process.memoryUsage().arrayBuffers
  const clients = Array.from({ length: 100 }, () => {
    const { client } = recordReady(2, 2)
    client.receive(update(rectangle({ x: 0, y: 0, width: 2, height: 2 }, 16, u32(0xffffffff))))
    return client
  })
  assert.ok(process.memoryUsage().arrayBuffers - before < clients.length * 100_000)
})
