import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { encodePacked, encodeTile, FrameError, indexBits, PixelCanvas, type TileOp } from './index.ts'

const size = { width: 21, height: 13 }
type Rgb = readonly [number, number, number]

/** A reference implementation that draws pixel by pixel. */
class PlainScreen {
  readonly pixels: Rgb[] = Array.from({ length: size.width * size.height }, () => [0, 0, 0] as const)

  draw({ area }: TileOp, colourOf: (x: number, y: number) => Rgb): void {
    for (let y = 0; y < area.height; y++)
      for (let x = 0; x < area.width; x++)
        this.pixels[(area.y + y) * size.width + area.x + x] = colourOf(x, y)
  }
}

const randomArea = fc
  .tuple(fc.nat(size.width - 1), fc.nat(size.height - 1), fc.nat(size.width), fc.nat(size.height))
  .map(([x, y, width, height]) => ({
    x,
    y,
    width: Math.min(width, size.width - x),
    height: Math.min(height, size.height - y),
  }))

/** A random tile, as the codec and as the reference implementation draw it. */
const drawing = fc.record({
  area: randomArea,
  kind: fc.constantFrom('fill', 'copy', 'palette', 'columns', 'mark', 'rgb'),
  colourCount: fc.integer({ min: 1, max: 256 }),
  seed: fc.nat(1000),
  from: fc.tuple(fc.nat(size.width), fc.nat(size.height)),
})

const shade = (seed: number): Rgb => [seed & 255, (seed * 7) & 255, (seed * 31) & 255]

test('tiles draw the same pixels as a reference implementation, also on top of each other', () => {
  fc.assert(
    fc.property(fc.array(drawing, { maxLength: 12 }), drawings => {
      const canvas = new PixelCanvas(size.width, size.height)
      const plain = new PlainScreen()
      for (const { area, kind, colourCount, seed, from } of drawings) {
        const indexAt = (x: number, y: number) => (seed + x * 3 + y * 5) % colourCount
        if (kind === 'fill') {
          const tile: TileOp = { op: 'fill', area, colour: Uint8Array.from(shade(seed)) }
          plain.draw(tile, () => shade(seed))
          canvas.apply(encodeTile(tile))
        } else if (kind === 'copy') {
          const x = Math.min(from[0], size.width - area.width)
          const y = Math.min(from[1], size.height - area.height)
          const tile: TileOp = { op: 'copy', area, from: { x, y } }
          const before = [...plain.pixels]
          plain.draw(tile, (dx, dy) => before[(y + dy) * size.width + x + dx] ?? [0, 0, 0])
          canvas.apply(encodeTile(tile))
        } else if (kind === 'mark') {
          const colours = Uint8Array.from([shade(seed), shade(seed + 1)].flat())
          const isSecond = (x: number, y: number) => ((seed + x * 3 + y * 5) >> 1) & 1
          const inOneLine = { width: area.width * area.height, height: 1 }
          const indices = indicesOf(inOneLine, 2, at =>
            isSecond(at % area.width, Math.floor(at / area.width)),
          )
          const tile: TileOp = { op: 'mark', area, colours, indices }
          plain.draw(tile, (x, y) => shade(seed + isSecond(x, y)))
          canvas.apply(encodeTile(tile))
        } else if (kind === 'palette' || kind === 'columns') {
          const colours = Uint8Array.from(
            Array.from({ length: colourCount }, (_, i) => shade(seed + i)).flat(),
          )
          const tile: TileOp = {
            op: kind,
            area,
            colours,
            indices:
              kind === 'palette'
                ? indicesOf(area, colourCount, indexAt)
                : indicesOf(transposed(area), colourCount, (x, y) => indexAt(y, x)),
          }
          plain.draw(tile, (x, y) => shade(seed + indexAt(x, y)))
          const plainBytes = encodeTile(tile)
          canvas.apply(encodePacked(plainBytes.length, deflateRawSync(plainBytes)))
        } else {
          const pixels = Uint8Array.from(
            Array.from({ length: area.width * area.height }, (_, i) => shade(seed + i)).flat(),
          )
          const tile: TileOp = { op: 'rgb', area, pixels }
          plain.draw(tile, (x, y) => shade(seed + y * area.width + x))
          canvas.apply(encodeTile(tile))
        }
      }
      const expected = plain.pixels.flatMap(([red, green, blue]) => [red, green, blue, 255])
      assert.deepEqual([...canvas.rgba], expected)
    }),
  )
})

function transposed({ width, height }: { width: number; height: number }) {
  return { width: height, height: width }
}

function indicesOf(
  { width, height }: { width: number; height: number },
  colourCount: number,
  indexAt: (x: number, y: number) => number,
): Uint8Array {
  const bits = indexBits(colourCount)
  const stride = Math.ceil((width * bits) / 8)
  const indices = new Uint8Array(stride * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * stride + ((x * bits) >> 3)
      indices[at] = (indices[at] ?? 0) | (indexAt(x, y) << (8 - bits - ((x * bits) & 7)))
    }
  return indices
}

test('tiles outside the screen, or with an index outside their palette, are rejected', () => {
  const canvas = new PixelCanvas(4, 4)
  const colour = Uint8Array.of(1, 2, 3)
  const inside = { x: 2, y: 2, width: 2, height: 2 }
  const wrong: TileOp[] = [
    { op: 'fill', area: { ...inside, width: 3 }, colour },
    { op: 'copy', area: inside, from: { x: 3, y: 0 } },
    { op: 'palette', area: inside, colours: new Uint8Array(9), indices: Uint8Array.of(0xff, 0xff) },
    { op: 'columns', area: inside, colours: new Uint8Array(9), indices: Uint8Array.of(0xff, 0xff) },
    { op: 'mark', area: { ...inside, x: 3 }, colours: new Uint8Array(6), indices: Uint8Array.of(0xff) },
  ]
  for (const tile of wrong) assert.throws(() => canvas.apply(encodeTile(tile)), FrameError)
  assert.throws(() => new PixelCanvas(65535, 65535), FrameError)
})
