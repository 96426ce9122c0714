import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { seeded } from '../testing/random.ts'
import {
  channel,
  encodeClipboard,
  encodeControl,
  encodeCursor,
  encodeFrame,
  encodeInput,
  encodePacked,
  encodePicture,
  encodePictureAnswer,
  encodeStatistics,
  encodeTile,
  FrameError,
  FrameStream,
  type InputFrame,
  type PictureFrame,
  PixelCanvas,
  parseClipboard,
  parseControl,
  parseCursor,
  parseFrame,
  parseInput,
  parsePicture,
  parsePictureAnswer,
  parseStatistics,
  parseTiles,
  sequenceOf,
  shownBy,
  type TileOp,
  withSequence,
} from './index.ts'

function only(bytes: Uint8Array) {
  const [frame, ...others] = new FrameStream().receive(bytes)
  assert.ok(frame)
  assert.equal(others.length, 0)
  return frame
}

const bytes = (...values: number[]) => Uint8Array.from(values)
const area = { x: 1, y: 2, width: 3, height: 4 }

test('a frame consists of the length of the rest, the channel, the type and the payload', () => {
  assert.deepEqual(encodeFrame(channel.input, 7, bytes(8, 9)), bytes(0, 0, 0, 4, 3, 7, 8, 9))
})

test('frames are decoded correctly however the stream is split', () => {
  const frame = fc.record(
    { channel: fc.nat(255), type: fc.nat(255), payload: fc.uint8Array({ maxLength: 40 }) },
    { noNullPrototype: true },
  )
  fc.assert(
    fc.property(fc.array(frame), fc.array(fc.integer({ min: 1, max: 30 })), (frames, lengths) => {
      const whole = Buffer.concat(frames.map(each => encodeFrame(each.channel, each.type, each.payload)))
      const stream = new FrameStream()
      const got = []
      let at = 0
      for (const length of [...lengths, whole.length]) {
        got.push(...stream.receive(whole.subarray(at, at + length)))
        at += length
      }
      assert.deepEqual(
        got.map(each => ({ ...each, payload: new Uint8Array(each.payload) })),
        frames,
      )
    }),
  )
})

test('a frame that is too long or too short is rejected as soon as its length is known', () => {
  assert.throws(() => new FrameStream(10).receive(bytes(0, 0, 0, 13, 0, 0)), FrameError)
  assert.throws(() => new FrameStream().receive(bytes(0, 0, 0, 1, 0, 0)), FrameError)
})

test('bytes that are exactly one frame are read as one, and others rejected', () => {
  const frame = encodeFrame(channel.cursor, 3, bytes(1, 2))
  assert.deepEqual(parseFrame(frame), only(frame))
  for (const others of [bytes(), frame.subarray(0, 5), frame.subarray(0, -1), bytes(...frame, 0)])
    assert.throws(() => parseFrame(others), FrameError)
})

test('a picture that is encoded gets another number, and shows the same', () => {
  const picture = { type: 'image', area, format: 'png', bytes: bytes(1, 2, 3) } as const
  const first = encodePicture({ ...picture, sequence: 7 })
  const second = withSequence(first, 0xfffffffe)
  assert.deepEqual(second, encodePicture({ ...picture, sequence: 0xfffffffe }))
  assert.deepEqual([sequenceOf(first), sequenceOf(second)], [7, 0xfffffffe])
  assert.deepEqual(shownBy(first), shownBy(second))
})

test('the frames of each channel are decoded as they were encoded', () => {
  assert.deepEqual(parseControl(only(encodeControl({ kind: 'release' }))), { kind: 'release' })
  assert.equal(parseClipboard(only(encodeClipboard('Grüße 🙂'))), 'Grüße 🙂')
  assert.deepEqual(parseStatistics(only(encodeStatistics({ type: 'ping', number: 9 }))), {
    type: 'ping',
    number: 9,
  })
  const shape = {
    type: 'shape',
    width: 1,
    height: 2,
    hotX: 0,
    hotY: 1,
    rgba: bytes(1, 2, 3, 4, 5, 6, 7, 8),
  } as const
  for (const cursor of [shape, { type: 'position', x: 3, y: 4 }, { type: 'hidden' }] as const)
    assert.deepEqual(parseCursor(only(encodeCursor(cursor, deflateRawSync))), cursor)
  const pictures: PictureFrame[] = [
    { type: 'tiles', sequence: 1, width: 1280, height: 720, ops: bytes(1, 2) },
    { type: 'image', sequence: 2, area, format: 'webp', bytes: bytes(3) },
    { type: 'video', sequence: 0xffffffff, area, isKey: true, bytes: bytes(4) },
  ]
  for (const picture of pictures) assert.deepEqual(parsePicture(only(encodePicture(picture))), picture)
  for (const answer of [{ type: 'acknowledge', sequence: 7 }, { type: 'refresh' }] as const)
    assert.deepEqual(parsePictureAnswer(only(encodePictureAnswer(answer))), answer)
})

test('input frames are decoded as they were encoded', () => {
  const inputs: InputFrame[] = [
    { type: 'pointer', lease: 1, x: 1279, y: 719, buttons: 5 },
    { type: 'wheel', lease: 1, x: 2, y: 3, deltaX: -120, deltaY: 240 },
    { type: 'key', lease: 0xffffffff, keysym: 0x1f642 + 0x1000000, isDown: true },
    { type: 'text', lease: 2, text: '日本 🙂' },
    { type: 'touch', lease: 2, finger: 1, phase: 'cancel', x: 5, y: 6 },
    { type: 'releaseAll', lease: 3 },
  ]
  for (const input of inputs) assert.deepEqual(parseInput(only(encodeInput(input))), input)
})

const tiles: TileOp[] = [
  { op: 'fill', area, colour: bytes(1, 2, 3) },
  { op: 'copy', area, from: { x: 9, y: 8 } },
  { op: 'palette', area, colours: bytes(0, 0, 0, 9, 9, 9, 5, 5, 5), indices: bytes(1, 2, 3, 4) },
  { op: 'columns', area, colours: bytes(0, 0, 0, 9, 9, 9, 5, 5, 5), indices: bytes(1, 2, 3) },
  { op: 'mark', area, colours: bytes(1, 2, 3, 4, 5, 6), indices: bytes(0xa5, 0xf0) },
  { op: 'rgb', area, pixels: new Uint8Array(36).fill(7) },
]

test('tiles are decoded as they were encoded, compressed or not', () => {
  const plain = Buffer.concat(tiles.map(encodeTile))
  const packed = encodePacked(plain.length, deflateRawSync(plain))
  assert.deepEqual(
    [...parseTiles(plain)],
    tiles.map(tile => onBuffer(tile)),
  )
  assert.deepEqual([...parseTiles(Buffer.concat([plain, packed]))].length, 12)
  assert.deepEqual([...parseTiles(packed)], tiles)
})

/** Subarrays of a Buffer are Buffers, which deepEqual distinguishes from Uint8Arrays. */
function onBuffer(tile: TileOp): object {
  return Object.fromEntries(
    Object.entries(tile).map(([key, value]) => [
      key,
      value instanceof Uint8Array ? Buffer.from(value) : value,
    ]),
  )
}

test('nested packed tiles, and packed tiles larger than a screen, are rejected', () => {
  const inner = encodePacked(1, deflateRawSync(bytes(0)))
  assert.throws(() => [...parseTiles(encodePacked(inner.length, deflateRawSync(inner)))], FrameError)
  assert.throws(() => [...parseTiles(encodePacked(0xffffffff, bytes(0)))], FrameError)
  assert.throws(() => [...parseTiles(encodePacked(100, bytes(0xff, 0xff)))], FrameError)
})

test('arbitrary bytes are either decoded or rejected with a FrameError', () => {
  const readers = [
    parseControl,
    parsePicture,
    parsePictureAnswer,
    parseCursor,
    parseInput,
    parseClipboard,
    parseStatistics,
    ({ payload }: { payload: Uint8Array }) => [...parseTiles(payload)],
  ]
  fc.assert(
    fc.property(fc.nat(255), fc.uint8Array({ maxLength: 60 }), (type, payload) => {
      for (const read of readers)
        try {
          read({ channel: 0, type, payload })
        } catch (error) {
          assert.ok(error instanceof FrameError, String(error))
        }
    }),
    { numRuns: 2000 },
  )
})

test('every pixel of a palette gets its colour, in rows and in columns, with runs and without', () => {
  const random = seeded(4780)
  for (const [count, bits] of [
    [2, 1],
    [3, 2],
    [16, 4],
    [200, 8],
  ] as const)
    for (const op of ['palette', 'columns'] as const)
      for (const [width, height] of [
        [64, 9],
        [13, 7],
        [1, 5],
      ] as const) {
        const colours = Uint8Array.from({ length: 3 * count }, () => Math.floor(256 * random()))
        let index = 0
        const at = Array.from({ length: width * height }, () => {
          if (random() < 0.2) index = Math.floor(count * random())
          return index
        })
        const [lines, length] = op === 'palette' ? [height, width] : [width, height]
        const stride = Math.ceil((length * bits) / 8)
        const indices = new Uint8Array(stride * lines)
        for (let line = 0; line < lines; line++)
          for (let step = 0; step < length; step++) {
            const place = line * stride + Math.floor((step * bits) / 8)
            const value = at[line * length + step] ?? 0
            indices[place] = (indices[place] ?? 0) | (value << (8 - bits - ((step * bits) % 8)))
          }
        const canvas = new PixelCanvas(80, 12)
        canvas.draw({ op, area: { x: 5, y: 2, width, height }, colours, indices })
        for (let line = 0; line < lines; line++)
          for (let step = 0; step < length; step++) {
            const [x, y] = op === 'palette' ? [step, line] : [line, step]
            const pixel = 4 * ((2 + y) * 80 + 5 + x)
            const colour = 3 * (at[line * length + step] ?? 0)
            assert.deepEqual(
              canvas.rgba.slice(pixel, pixel + 3),
              Uint8ClampedArray.from(colours.slice(colour, colour + 3)),
            )
          }
        // Nothing beside it is touched.
        assert.deepEqual(
          [...canvas.rgba.slice(4 * (2 * 80 + 5 + width), 4 * (2 * 80 + 5 + width) + 3)],
          [0, 0, 0],
        )
      }
})
