import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { TestDesktop } from '../../actions/test-desktop.ts'
import type { Glimpse } from '../../contract/screen.ts'

/** Fills an area of the root window with a colour. */
const paint = (area: string, colour: string) => `python3 - <<'E'
import ctypes
x = ctypes.CDLL('libX11.so.6')
x.XOpenDisplay.restype = ctypes.c_void_p
x.XCreateGC.restype = ctypes.c_void_p
d = ctypes.c_void_p(x.XOpenDisplay(None))
root = ctypes.c_ulong(x.XDefaultRootWindow(d))
gc = ctypes.c_void_p(x.XCreateGC(d, root, 0, None))
x.XSetForeground(d, gc, ctypes.c_ulong(0x${colour}))
x.XFillRectangle(d, root, gc, ${area})
x.XSync(d, 0)
E`

describe('glimpses of a screen', { timeout: 120_000 }, () => {
  let desktop: TestDesktop
  let glimpses: Glimpse[]
  let stop: () => void
  before(async () => {
    desktop = await TestDesktop.start()
    glimpses = []
    stop = desktop.machine.screen.glimpse?.(glimpse => glimpses.push(glimpse)) ?? assert.fail('none are told')
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

  /** One look may fall into the rest after another change: it is painted until it is seen. */
  const paintUntilSeen = (area: string) => {
    let count = 0
    return desktop.until(async () => {
      const colour = `12${(0x10 + (count++ % 200)).toString(16)}56`
      await desktop.shell(paint(area, colour))
      return isSeen(colour)
    })
  }

  it('tell what was drawn, where and in which colours', async () => {
    await paintUntilSeen('700, 500, 40, 20')
    const seen = glimpses.find(({ area }) => area.x === 700)
    assert.deepEqual(seen?.area, { x: 700, y: 500, width: 40, height: 20 })
  })

  it('tell nothing of what is large, which who watches is told', async () => {
    await desktop.shell(paint('0, 0, 1280, 720', '777777'))
    await desktop.until(async () => (await desktop.colourAt(640, 700)) === '777777')
    assert.ok(glimpses.every(({ area }) => area.width * area.height <= 60_000))
  })

  it('go on when the desktop was away', async () => {
    await desktop.shell(
      'for p in /proc/[0-9]*; do grep -q ^Xtigervnc $p/comm && kill -9 $(basename $p); done',
    )
    await desktop.until(async () => (await desktop.colourAt(640, 700).catch(() => '777777')) !== '777777')
    await paintUntilSeen('600, 400, 30, 10')
  })
})
