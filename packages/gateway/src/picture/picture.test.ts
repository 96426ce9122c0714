import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { waitFor } from '@sandglass/machines/testing'
import { parseTiles } from '@sandglass/wire/frames'
import fc from 'fast-check'
import { Picture } from './picture.ts'
import { FakeScreen } from './testing/fake-screen.ts'
import { FakeViewer } from './testing/fake-viewer.ts'
import { showsExactly } from './testing/same-pixels.ts'

const size = { width: 200, height: 150 }

function started(options: ConstructorParameters<typeof Picture>[1] = {}) {
  const screen = new FakeScreen(size.width, size.height)
  return { screen, picture: new Picture(screen, options) }
}

test('a viewer gets the whole screen first, and then the changes', async () => {
  const { screen, picture } = started()
  screen.fill({ x: 10, y: 10, width: 60, height: 70 }, 0x0000ff)
  const viewer = new FakeViewer(picture)
  await waitFor(() => showsExactly(viewer, screen))
  screen.fill({ x: 100, y: 100, width: 3, height: 5 }, 0x00ff00)
  await waitFor(() => showsExactly(viewer, screen))
  picture.close()
  await turn()
  assert.equal(screen.watcherCount, 0)
})

test('a small change after a pause is sent immediately and in few bytes', async () => {
  const { screen, picture } = started()
  const viewer = new FakeViewer(picture)
  await waitFor(() => viewer.unacknowledged === 0 && viewer.frames.length > 0)
  const { bytes, frames } = viewer
  const count = frames.length
  // The screen reports far more than has changed.
  screen.words[30 * size.width + 40] = 0x123456
  screen.tell({ x: 0, y: 0, ...size })
  assert.equal(frames.length, count + 1)
  assert.ok(viewer.bytes - bytes < 40, `${viewer.bytes - bytes} bytes`)
  picture.close()
})

test('nothing is sent while nothing changes, and the screen is not watched without viewers', async () => {
  const { screen, picture } = started()
  const viewers = [new FakeViewer(picture), new FakeViewer(picture)]
  await waitFor(() => viewers.every(viewer => showsExactly(viewer, screen)))
  const bytes = viewers.map(viewer => viewer.bytes)
  for (let count = 0; count < 20; count++) {
    screen.tell({ x: 0, y: 0, ...size })
    await turn()
  }
  assert.deepEqual(
    viewers.map(viewer => viewer.bytes),
    bytes,
  )
  for (const { feed } of viewers) feed.close()
  await turn()
  assert.equal(screen.watcherCount, 0)
  const late = new FakeViewer(picture)
  await waitFor(() => showsExactly(late, screen))
  picture.close()
})

const drawing = fc.record({
  kind: fc.constant('draw' as const),
  x: fc.nat(size.width - 1),
  y: fc.nat(size.height - 1),
  width: fc.integer({ min: 1, max: size.width }),
  height: fc.integer({ min: 1, max: size.height }),
  colours: fc.constantFrom(1, 2, 4, 16, 200, 100_000),
  seed: fc.nat(0xffffff),
})
const scrolling = fc.record({ kind: fc.constant('scroll' as const), by: fc.integer({ min: -90, max: 90 }) })
const copying = fc
  .record({
    width: fc.integer({ min: 1, max: size.width }),
    height: fc.integer({ min: 1, max: size.height }),
    places: fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat()),
  })
  .map(({ width, height, places: [x, y, fromX, fromY] }) => {
    const [right, bottom] = [size.width - width + 1, size.height - height + 1]
    const area = { x: x % right, y: y % bottom, width, height }
    return { kind: 'copy' as const, area, from: { x: fromX % right, y: fromY % bottom } }
  })
const step = fc.oneof(
  drawing,
  scrolling,
  copying,
  fc.record({ kind: fc.constant('acknowledge' as const), viewer: fc.nat(2), count: fc.nat(9) }),
  fc.record({ kind: fc.constant('refresh' as const), viewer: fc.nat(2) }),
  fc.record({ kind: fc.constant('wait' as const), turns: fc.nat(3) }),
)

test('whatever is drawn and whenever it is acknowledged, all viewers end up with the screen', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async steps => {
      const { screen, picture } = started()
      const viewers = [1, 2, 3].map(() => new FakeViewer(picture, { acknowledgesItself: false }))
      await turn()
      for (const each of steps) {
        if (each.kind === 'wait') for (let count = 0; count < each.turns; count++) await turn()
        else if (each.kind === 'scroll') screen.scroll({ x: 8, y: 8, width: 180, height: 130 }, each.by)
        else if (each.kind === 'copy') screen.copy(each.area, each.from)
        else if (each.kind === 'refresh') viewers[each.viewer]?.feed.refresh()
        else if (each.kind === 'acknowledge') viewers[each.viewer]?.acknowledge(each.count)
        else {
          const { x, y, colours, seed } = each
          const width = Math.min(each.width, size.width - x)
          const height = Math.min(each.height, size.height - y)
          screen.draw({ x, y, width, height }, (dx, dy) => seed ^ ((dx * 7 + dy * 1301) % colours))
        }
      }
      await waitFor(() => {
        for (const viewer of viewers) viewer.acknowledge()
        return viewers.every(viewer => showsExactly(viewer, screen))
      })
      picture.close()
    }),
    { numRuns: 30, endOnFailure: true },
  )
})

test('a viewer that acknowledges nothing gets a few frames, and the newest state when it does', async () => {
  const { screen, picture } = started()
  const [stalled, lively] = [new FakeViewer(picture, { acknowledgesItself: false }), new FakeViewer(picture)]
  await waitFor(() => showsExactly(lively, screen))
  for (let count = 1; count <= 60; count++) {
    screen.fill({ x: count, y: count, width: 20, height: 20 }, 0x030201 * count)
    await waitFor(() => showsExactly(lively, screen))
  }
  assert.ok(stalled.frames.length <= 8, `${stalled.frames.length} frames`)
  const before = stalled.frames.length
  stalled.acknowledge()
  await waitFor(() => showsExactly(stalled, screen))
  assert.equal(stalled.frames.length, before + 1)
  picture.close()
})

test('a change is not encoded while no viewer can receive it', async () => {
  const { screen, picture } = started()
  const viewer = new FakeViewer(picture, { acknowledgesItself: false })
  let count = 0
  const draw = () => screen.fill({ x: ++count % 100, y: 0, width: 9, height: 9 }, 0x010203 * count)
  await waitFor(() => {
    draw()
    return viewer.unacknowledged >= 6
  })
  const { encodings } = picture.counters
  for (let more = 0; more < 100; more++) {
    draw()
    await turn()
  }
  assert.equal(picture.counters.encodings, encodings)
  picture.close()
})

test('ten viewers cost one encoding, whether they were there before or join later', async () => {
  const { screen, picture } = started()
  const viewers = Array.from({ length: 10 }, () => new FakeViewer(picture))
  await waitFor(() => viewers.every(viewer => showsExactly(viewer, screen)))
  assert.equal(picture.counters.encodings, 1)
  screen.fill({ x: 5, y: 6, width: 70, height: 8 }, 0xabcdef)
  await waitFor(() => viewers.every(viewer => showsExactly(viewer, screen)))
  assert.equal(picture.counters.encodings, 2)
  const late = [new FakeViewer(picture), new FakeViewer(picture)]
  await waitFor(() => late.every(viewer => showsExactly(viewer, screen)))
  assert.equal(picture.counters.encodings, 3)
  picture.close()
})

test('scrolling is sent as a move, not as pixels', async () => {
  const { screen, picture } = started()
  screen.draw({ x: 0, y: 0, ...size }, (x, y) => ((x * 2654435761) ^ (y * 40503)) & 0x0f0f0f)
  const viewer = new FakeViewer(picture)
  await waitFor(() => showsExactly(viewer, screen))
  const { bytes } = viewer
  screen.scroll({ x: 10, y: 10, width: 150, height: 120 }, -12)
  await waitFor(() => showsExactly(viewer, screen))
  assert.ok(viewer.bytes - bytes < 4000, `${viewer.bytes - bytes} bytes`)
  picture.close()
})

test('reported copies in any direction and in many steps are sent as one copy', async () => {
  const { screen, picture } = started()
  screen.draw({ x: 0, y: 0, ...size }, (x, y) => ((x * 2654435761) ^ (y * 40503)) & 0x0f0f0f)
  const viewer = new FakeViewer(picture, { acknowledgesItself: false })
  const pour = () => {
    screen.fill({ x: 190, y: 140, width: 5, height: 5 }, viewer.frames.length)
    return viewer.unacknowledged >= 6
  }
  await waitFor(pour)
  const frames = viewer.frames.length
  for (let count = 0; count < 20; count++) {
    screen.copy({ x: 20, y: 20, width: 99, height: 98 }, { x: 21, y: 22 })
    screen.fill({ x: 20, y: 118, width: 100, height: 2 }, 0x010203 * count)
    screen.fill({ x: 119, y: 20, width: 1, height: 100 }, 0x030201 * count)
  }
  await waitFor(() => {
    viewer.acknowledge()
    return showsExactly(viewer, screen)
  })
  const copies = viewer.frames
    .slice(frames)
    .flatMap(frame => ('ops' in frame ? [...parseTiles(frame.ops)] : []))
    .filter(({ op }) => op === 'copy')
  assert.deepEqual(copies, [
    { op: 'copy', area: { x: 20, y: 20, width: 80, height: 60 }, from: { x: 40, y: 60 } },
  ])
  picture.close()
})

test('a photo is sent as an approximate image first, and exactly at rest', async () => {
  const { screen, picture } = started()
  const noise = (x: number, y: number) => (Math.imul(x * 7919 + y * 104729, 2654435761) >>> 7) & 0xffffff
  screen.draw({ x: 0, y: 0, ...size }, noise)
  const viewer = new FakeViewer(picture)
  await waitFor(() => viewer.frames.some(({ type }) => type === 'image'))
  const [first] = viewer.frames.filter(frame => frame.type === 'image')
  assert.equal(first?.format, 'jpeg')
  await waitFor(() => showsExactly(viewer, screen))
  picture.close()
})

test('a screen that changes its size starts from scratch', async () => {
  const { screen, picture } = started()
  const viewer = new FakeViewer(picture, { acknowledgesItself: false })
  await waitFor(() => viewer.frames.length > 0)
  screen.resize(321, 97)
  screen.fill({ x: 300, y: 80, width: 21, height: 17 }, 0x00ffff)
  screen.resize(97, 123)
  screen.fill({ x: 90, y: 100, width: 7, height: 23 }, 0xff00ff)
  await waitFor(() => {
    viewer.acknowledge()
    return showsExactly(viewer, screen)
  })
  picture.close()
})

test('a screen that cannot be watched is reported once', async () => {
  const screen = new FakeScreen(9, 9)
  screen.watch = () => Promise.reject(new Error('no screen'))
  const failures: unknown[] = []
  const picture = new Picture(screen, { onFailure: error => void failures.push(error) })
  new FakeViewer(picture)
  await turn()
  assert.equal(failures.length, 1)
  picture.close()
})
