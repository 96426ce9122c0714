import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { Picture } from './picture.ts'
import { PaperScreen } from './testing/paper-screen.ts'
import { PaperViewer } from './testing/paper-viewer.ts'

const size = { width: 200, height: 150 }

function showsTheScreen(viewer: PaperViewer, screen: PaperScreen): void {
  assert.deepEqual(
    viewer.words,
    screen.words.map(word => (word | 0xff000000) >>> 0),
  )
}

test('a viewer sees the whole screen first, and then what changes', async () => {
  const screen = new PaperScreen(size.width, size.height)
  screen.fill({ x: 10, y: 10, width: 60, height: 70 }, 0x0000ff)
  const picture = new Picture(screen)
  const viewer = new PaperViewer(picture)
  await turn()
  showsTheScreen(viewer, screen)
  screen.fill({ x: 100, y: 100, width: 3, height: 5 }, 0x00ff00)
  showsTheScreen(viewer, screen)
  picture.close()
  await turn()
  assert.equal(screen.watcherCount, 0)
})

const step = fc.oneof(
  fc.record({
    kind: fc.constant('draw' as const),
    x: fc.nat(size.width - 1),
    y: fc.nat(size.height - 1),
    width: fc.integer({ min: 1, max: size.width }),
    height: fc.integer({ min: 1, max: size.height }),
    colours: fc.constantFrom(1, 2, 4, 16, 200, 100_000),
    seed: fc.nat(0xffffff),
  }),
  fc.record({ kind: fc.constant('acknowledge' as const), count: fc.nat(9) }),
  fc.record({ kind: fc.constant('refresh' as const) }),
)

test('whatever is drawn, and whenever it is acknowledged, the viewer shows the screen in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async steps => {
      const screen = new PaperScreen(size.width, size.height)
      const picture = new Picture(screen)
      const viewer = new PaperViewer(picture, { acknowledgesItself: false })
      await turn()
      for (const each of steps) {
        if (each.kind === 'refresh') viewer.feed.refresh()
        else if (each.kind === 'acknowledge') viewer.acknowledge(Math.min(each.count, viewer.unacknowledged))
        else {
          const { x, y, colours, seed } = each
          const width = Math.min(each.width, size.width - x)
          const height = Math.min(each.height, size.height - y)
          screen.draw({ x, y, width, height }, (dx, dy) => seed ^ ((dx * 7 + dy * 1301) % colours))
        }
      }
      while (viewer.unacknowledged > 0) viewer.acknowledge()
      showsTheScreen(viewer, screen)
      picture.close()
    }),
  )
})
