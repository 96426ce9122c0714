import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { Picture } from './picture.ts'
import { FakeScreen } from './testing/fake-screen.ts'
import { FakeViewer } from './testing/fake-viewer.ts'

const arrow = { width: 2, height: 1, hotspot: { x: 1, y: 0 }, rgba: Uint8Array.of(1, 2, 3, 255, 4, 5, 6, 0) }
const shape = { type: 'shape', width: 2, height: 1, hotX: 1, hotY: 0, rgba: arrow.rgba }

async function started() {
  const screen = new FakeScreen(100, 80)
  const picture = new Picture(screen)
  const viewer = new FakeViewer(picture)
  await waitFor(() => viewer.frames.length > 0)
  return { screen, picture, viewer }
}

test('a viewer gets the shape and position of the pointer, and then changes of them', async () => {
  const { screen, picture, viewer } = await started()
  assert.deepEqual(viewer.cursors, [{ type: 'hidden' }, { type: 'position', x: 0, y: 0 }])
  screen.point(7, 8, arrow)
  screen.point(7, 8, arrow)
  screen.point(9, 8, arrow)
  assert.deepEqual(viewer.cursors.slice(2), [
    shape,
    { type: 'position', x: 7, y: 8 },
    { type: 'position', x: 9, y: 8 },
  ])
  const late = new FakeViewer(picture)
  assert.deepEqual(late.cursors, [shape, { type: 'position', x: 9, y: 8 }])
  picture.close()
})

test('a viewer that moved the pointer is not informed of it, and the others are', async () => {
  const { screen, picture, viewer } = await started()
  const other = new FakeViewer(picture)
  const before = viewer.cursors.length
  viewer.feed.pointed(30, 40)
  screen.point(30, 40)
  assert.equal(viewer.cursors.length, before)
  assert.deepEqual(other.cursors.at(-1), { type: 'position', x: 30, y: 40 })
  picture.close()
})

test('an unresponsive viewer gets few updates of a pointer that keeps moving, and its final position', async () => {
  const screen = new FakeScreen(100, 80)
  const picture = new Picture(screen)
  const viewer = new FakeViewer(picture, { acknowledgesItself: false })
  await waitFor(() => viewer.frames.length > 0)
  for (let step = 0; step < 1000; step++) screen.point(step % 99, step % 77)
  assert.ok(viewer.cursors.length <= 70, `${viewer.cursors.length} frames`)
  await waitFor(() => {
    viewer.acknowledge()
    return viewer.unacknowledged === 0
  })
  assert.deepEqual(viewer.cursors.at(-1), { type: 'position', x: 999 % 99, y: 999 % 77 })
  picture.close()
})
