import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeCursor, encodePicture } from '@sandglass/wire/frames'
import { FrameJoiner } from './frame-joiner.ts'

const tiles = (sequence: number, ...ops: number[]) =>
  encodePicture({ type: 'tiles', sequence, width: 1, height: 1, ops: Uint8Array.from(ops) })
const position = (x: number) => encodeCursor({ type: 'position', x, y: 0 }, bytes => bytes)

test('frames of one turn are joined if they show the same, and no viewer gets them in another order', async () => {
  const sent: string[] = []
  const joiner = new FrameJoiner(({ to, frame }) =>
    sent.push(`${frame.at(-1)} to ${to.map(({ viewer, sequence }) => `${viewer}:${sequence}`).join(' ')}`),
  )
  joiner.add(1, tiles(7, 100))
  joiner.add(1, tiles(8, 101))
  joiner.add(2, tiles(1, 100))
  joiner.add(2, tiles(2, 101))
  // The other way around, these are frames of their own.
  joiner.add(3, tiles(4, 101))
  joiner.add(3, tiles(5, 100))
  assert.deepEqual(sent, [])
  await Promise.resolve()
  assert.deepEqual(sent, ['100 to 1:7 2:1', '101 to 1:8 2:2 3:4', '100 to 3:5'])
})

test('a frame that another turn has is sent again, and a cursor is no picture', async () => {
  const sent: number[] = []
  const joiner = new FrameJoiner(({ to }) => sent.push(to.length))
  for (const viewer of [1, 2]) joiner.add(viewer, position(3))
  joiner.add(3, position(4))
  await Promise.resolve()
  joiner.add(4, position(3))
  await Promise.resolve()
  assert.deepEqual(sent, [2, 1, 1])
})
