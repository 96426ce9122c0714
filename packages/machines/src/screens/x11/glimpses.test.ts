import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { TestDesktop } from '../../actions/test-desktop.ts'
import type { Rect } from '../../contract/rect.ts'
import type { Glimpse } from '../../contract/screen.ts'

describe('glimpses of a screen', () => {
  let desktop: TestDesktop
  let glimpses: Glimpse[]
  let stop: () => void
  before(async () => {
    desktop = await TestDesktop.start()
    glimpses = []
    stop =
      desktop.machine.screen.glimpse?.(glimpse => glimpses.push(glimpse)) ??
      assert.fail('the screen has no glimpses')
  })
  after(async () => {
    stop?.()
    await desktop?.close()
  })

  const isSeen = (colour: string) =>
    glimpses.some(
      ({ area: { width, height }, pixels }) =>
        pixels.length === 4 * width * height && Buffer.from(pixels.subarray(0, 3)).toString('hex') === colour,
    )

  /** A look may fall into the pause after another change, so this paints until one of the colours is seen. */
  const paintUntilSeen = (area: Rect) => {
    const colours: string[] = []
    return desktop.until(async () => {
      const colour = `12${(0x10 + (colours.length % 200)).toString(16)}56`
      colours.push(colour)
      await desktop.fill(area, colour)
      return colours.some(isSeen)
    })
  }

  it('report what was drawn, with position and colours', async () => {
    await paintUntilSeen({ x: 700, y: 500, width: 40, height: 20 })
    const seen = glimpses.find(({ area }) => area.x === 700)
    assert.deepEqual(seen?.area, { x: 700, y: 500, width: 40, height: 20 })
  })

  it('leave large changes to the watchers', async () => {
    await desktop.fill({ x: 0, y: 0, width: 1280, height: 720 }, '777777')
    await desktop.until(async () => (await desktop.colourAt(640, 700)) === '777777')
    assert.ok(glimpses.every(({ area }) => area.width * area.height <= 60_000))
  })

  it('continue after the desktop was restarted', async () => {
    await desktop.shell(
      'for p in /proc/[0-9]*; do grep -q ^Xtigervnc $p/comm && kill -9 $(basename $p); done',
    )
    await desktop.until(async () => (await desktop.colourAt(640, 700).catch(() => '777777')) !== '777777')
    glimpses.length = 0
    await paintUntilSeen({ x: 600, y: 400, width: 30, height: 10 })
  })
})
