import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PaintedScreen } from '../testing/painted-screen.ts'
import { shrink } from './shrink.ts'

async function painted(width: number, height: number, colourAt: (x: number, y: number) => number) {
  const screen = new PaintedScreen(width, height)
  screen.fill({ x: 0, y: 0, width, height }, colourAt)
  return (await screen.look()).frame
}

test('each pixel of a small picture is the average of those that it stands for', async () => {
  const frame = await painted(8, 4, (x, y) => (x < 4 ? 0x102030 : y < 2 ? 0xff0000 : x % 2 ? 0x0000ff : 0))
  const { width, height, pixels } = shrink(frame, 4)
  assert.deepEqual([width, height], [4, 2])
  const colours = [...new Uint32Array(pixels.buffer)].map(word => word.toString(16))
  const [left, red, blue] = ['ff302010', 'ff0000ff', 'ff800000']
  assert.deepEqual(colours, [left, left, red, red, left, left, blue, blue])
})

test('a small picture has the wanted width and the shape of the screen, but is never larger than it', async () => {
  const sizeOf = async (width: number, height: number, wanted: number) => {
    const shrunk = shrink(await painted(width, height, () => 0xabcdef), wanted)
    assert.equal(shrunk.pixels.length, shrunk.width * shrunk.height * 4)
    for (let at = 0; at < shrunk.pixels.length; at += 4)
      assert.deepEqual([...shrunk.pixels.subarray(at, at + 4)], [0xab, 0xcd, 0xef, 255])
    return [shrunk.width, shrunk.height]
  }
  assert.deepEqual(await sizeOf(1280, 720, 320), [320, 180])
  assert.deepEqual(await sizeOf(720, 1280, 100), [100, 178])
  assert.deepEqual(await sizeOf(101, 77, 64), [64, 49])
  assert.deepEqual(await sizeOf(60, 40, 320), [60, 40])
  assert.deepEqual(await sizeOf(1000, 2, 64), [64, 1])
})
