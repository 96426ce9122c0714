import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Glimpse, Rect } from '@sandglass/machines/contract'
import { waitFor } from '@sandglass/machines/testing'
import fc from 'fast-check'
import { Picture } from './picture.ts'
import { FakeScreen } from './testing/fake-screen.ts'
import { FakeViewer } from './testing/fake-viewer.ts'
import { showsExactly } from './testing/same-pixels.ts'

const size = { width: 200, height: 150 }

/** A screen that can be glimpsed before it reports a change. */
class SlowScreen extends FakeScreen {
  #onGlimpse: ((glimpse: Glimpse) => void) | undefined

  glimpse(onGlimpse: (glimpse: Glimpse) => void): () => void {
    this.#onGlimpse = onGlimpse
    return () => {
      this.#onGlimpse = undefined
    }
  }

  get isGlimpsed(): boolean {
    return this.#onGlimpse !== undefined
  }

  drawUnreported({ x, y, width, height }: Rect, colour: number): void {
    const { words } = this
    for (let row = y; row < y + height; row++)
      words.fill(colour, row * size.width + x, row * size.width + x + width)
  }

  see(area: Rect): void {
    const seen = new Uint32Array(area.width * area.height)
    for (let row = 0; row < area.height; row++) {
      const start = (area.y + row) * size.width + area.x
      seen.set(this.words.subarray(start, start + area.width), row * area.width)
    }
    this.#onGlimpse?.({ area, pixels: new Uint8Array(seen.buffer) })
  }
}

async function started() {
  const screen = new SlowScreen(size.width, size.height)
  const picture = new Picture(screen)
  const viewer = new FakeViewer(picture)
  await waitFor(() => showsExactly(viewer, screen) && viewer.unacknowledged === 0)
  return { screen, picture, viewer }
}

test('a glimpsed change is sent immediately, and not again when it is reported', async () => {
  const { screen, picture, viewer } = await started()
  const area = { x: 50, y: 60, width: 30, height: 20 }
  screen.drawUnreported(area, 0x00aaff)
  screen.see({ x: 40, y: 55, width: 60, height: 40 })
  await waitFor(() => showsExactly(viewer, screen))
  const { bytes } = viewer
  screen.tell(area)
  await turn()
  assert.equal(viewer.bytes, bytes)
  picture.close()
  await waitFor(() => !screen.isGlimpsed)
})

test('a glimpsed change that disappears is removed again, though that is never reported', async () => {
  const { screen, picture, viewer } = await started()
  const area = { x: 50, y: 60, width: 30, height: 20 }
  const frames = viewer.frames.length
  screen.drawUnreported(area, 0x00aaff)
  screen.see(area)
  assert.equal(viewer.frames.length, frames + 1)
  screen.drawUnreported(area, 0)
  await waitFor(() => showsExactly(viewer, screen) && viewer.frames.length > frames + 1)
  picture.close()
})

test('a glimpse outside of the screen, such as after it shrank, is not sent', async () => {
  const { screen, picture, viewer } = await started()
  const { bytes } = viewer
  screen.see({ x: 190, y: 140, width: 20, height: 20 })
  await turn()
  assert.equal(viewer.bytes, bytes)
  picture.close()
})

const area = fc.record({
  x: fc.nat(size.width - 40),
  y: fc.nat(size.height - 40),
  width: fc.integer({ min: 1, max: 40 }),
  height: fc.integer({ min: 1, max: 40 }),
})
const step = fc.oneof(
  fc.record({ kind: fc.constant('draw' as const), area, colour: fc.nat(0xffffff) }),
  fc.record({ kind: fc.constant('see' as const), area }),
  fc.record({ kind: fc.constant('tell' as const) }),
  fc.record({ kind: fc.constant('acknowledge' as const), count: fc.nat(5) }),
)

test('whatever is glimpsed and whenever it is reported, all viewers end up with the screen', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
      const { screen, picture, viewer } = await started()
      const late = new FakeViewer(picture, { acknowledgesItself: false })
      const untold: Rect[] = []
      for (const each of steps)
        if (each.kind === 'draw') {
          screen.drawUnreported(each.area, each.colour)
          untold.push(each.area)
        } else if (each.kind === 'see') screen.see(each.area)
        else if (each.kind === 'tell') screen.tell(...untold.splice(0))
        else late.acknowledge(each.count)
      screen.tell(...untold)
      await waitFor(() => {
        late.acknowledge()
        return showsExactly(viewer, screen) && showsExactly(late, screen)
      })
      picture.close()
    }),
    { numRuns: 50 },
  )
})
