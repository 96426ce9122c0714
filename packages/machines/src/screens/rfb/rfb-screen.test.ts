import assert from 'node:assert/strict'
import { type Duplex, duplexPair } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { px, TestDesktop } from '../../actions/test-desktop.ts'
import type { Damage } from '../../contract/screen.ts'
import { RfbScreen } from './rfb-screen.ts'

describe('the picture of a screen', { timeout: 240_000 }, () => {
  let desktop: TestDesktop
  const dialled: Duplex[] = []
  let screen: RfbScreen
  before(async () => {
    desktop = await TestDesktop.start()
    screen = new RfbScreen(async () => {
      const stream = await desktop.machine.dial('screen:rfb')
      dialled.push(stream)
      return stream
    })
  })
  after(async () => {
    screen?.close()
    await desktop?.close()
  })

  const paint = (colour: string) =>
    desktop.shell(`python3 - <<'E'
import ctypes
x = ctypes.CDLL('libX11.so.6')
x.XOpenDisplay.restype = ctypes.c_void_p
d = ctypes.c_void_p(x.XOpenDisplay(None))
root = x.XDefaultRootWindow(d)
x.XSetWindowBackground(d, root, ctypes.c_ulong(0x${colour}))
x.XClearWindow(d, root)
x.XSync(d, 0)
E`)

  const colour = async () => {
    const { frame } = await screen.look()
    return Buffer.from(frame.pixels.subarray(4 * 5000, 4 * 5000 + 3)).toString('hex')
  }

  it('follows what is drawn, over one connection however many look', async () => {
    const looks = await Promise.all([1, 2, 3].map(() => screen.look()))
    for (const { frame } of looks) assert.deepEqual([frame.width, frame.height], [1280, 720])
    await paint('ff0000')
    await desktop.until(async () => (await colour()) === 'ff0000')
    assert.equal(dialled.length, 1)
  })

  it('tells what changed since the look before, and nothing where nothing did', async () => {
    await screen.settled({ quietMs: 300, maxMs: 3000 })
    await screen.look()
    assert.deepEqual((await screen.look()).changed, [])
    await paint('00ff00')
    await desktop.until(async () => (await colour()) === '00ff00')
    await paint('0000ff')
    await screen.settled({ quietMs: 300, maxMs: 3000 })
    const { changed } = await screen.look()
    const covered = changed.reduce((sum, { width, height }) => sum + width * height, 0)
    assert.ok(covered >= 1280 * 720 * 0.9, JSON.stringify(changed))
  })

  it('shows those who watch the whole screen and then what changes, also after the connection was lost', async () => {
    const [seen, covered]: [Set<string>, number[]] = [new Set(), []]
    const unwatch = await screen.watch((changed, { pixels }) => {
      seen.add(Buffer.from(pixels.subarray(0, 3)).toString('hex'))
      covered.push(changed.reduce((sum, { width, height }) => sum + width * height, 0))
    })
    assert.deepEqual(covered, [1280 * 720])
    await paint('123456')
    await desktop.until(async () => seen.has('123456'))
    dialled.at(-1)?.destroy()
    await paint('fedcba')
    await desktop.until(async () => seen.has('fedcba'))
    assert.equal(dialled.length, 2)
    unwatch()
  })

  it('tells those who watch what a terminal scrolls as a copy, and the new lines as no copy', async () => {
    const told: Damage[] = []
    const unwatch = await screen.watch(changed => void told.push(...changed))
    await desktop.open(
      'xterm -geometry 80x24+40+40 -e sh -c "seq 100; read line; seq 200 203; read line"',
      'XTerm',
    )
    await screen.settled({ quietMs: 300, maxMs: 10_000 })
    told.length = 0
    await desktop.type('\n')
    const isLarge = ({ width, height }: Damage) => width > 200 && height > 100
    await desktop.until(async () => told.some(each => each.from && isLarge(each)))
    await screen.settled({ quietMs: 300, maxMs: 10_000 })
    for (const { x, y, from } of told) if (from) assert.ok(from.x === x && from.y > y, JSON.stringify(told))
    assert.ok(told.some(({ from }) => !from))
    assert.ok(!told.some(each => !each.from && isLarge(each)), JSON.stringify(told))
    await desktop.type('\n')
    unwatch()
  })

  it('tells those who watch of the pointer, though nothing else changes', async () => {
    const places: string[] = []
    const unwatch = await screen.watch((_, { pointer }) => void places.push(`${pointer.x},${pointer.y}`))
    await screen.moveTo({ x: 77, y: 88 })
    assert.equal(places.at(-1), '77,88')
    unwatch()
  })

  it('catches up after nobody looked for a while', async () => {
    await screen.look()
    await desktop.shell('sleep 3')
    await paint('654321')
    await desktop.until(async () => (await colour()) === '654321')
    assert.equal(dialled.length, 2)
  })

  it('comes back by itself when the connection is lost', async () => {
    dialled.at(-1)?.destroy()
    await paint('abcdef')
    await desktop.until(async () => (await colour().catch(() => '')) === 'abcdef')
    assert.equal(dialled.length, 3)
  })

  it('leaves the pointer out of the pixels, and says where it is and what it looks like', async () => {
    await screen.moveTo({ x: 300, y: 200 })
    await desktop.until(async () => (await screen.look()).frame.pointer.image !== undefined)
    const { frame } = await screen.look()
    assert.deepEqual([frame.pointer.x, frame.pointer.y], [300, 200])
    assert.ok((frame.pointer.image?.width ?? 0) > 4)
    const under = frame.pixels.subarray(4 * (205 * 1280 + 302), 4 * (205 * 1280 + 302) + 3)
    assert.equal(Buffer.from(under).toString('hex'), 'abcdef')
  })

  it('is at rest though a caret blinks, and not while something goes on', async () => {
    await desktop.open('l3afpad', 'l3afpad')
    await desktop.perform({ type: 'mouse:move', x: px(5), y: px(5) })
    assert.equal(await screen.settled({ quietMs: 700, maxMs: 20_000 }), true)
    const painting = desktop.shell(
      'for i in $(seq 60); do xdotool mousemove $((i * 5)) 9 key F5 windowsize $(xdotool getactivewindow) $((300 + i * 5)) 300; done',
    )
    await desktop.until(async () => (await screen.look()).changed.length > 0)
    assert.equal(await screen.settled({ quietMs: 200, maxMs: 400 }), false)
    await painting
  })
})

describe('a screen of a stranger', () => {
  const screenOf = (answer: (far: Duplex) => void) =>
    new RfbScreen(async () => {
      const [near, far] = duplexPair()
      far.on('error', () => {}).resume()
      answer(far)
      return near
    })

  it('that speaks no RFB, or goes away, fails the look and nothing else', async () => {
    for (const answer of [
      (far: Duplex) => void far.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
      (far: Duplex) => void far.end(),
      (far: Duplex) => void far.end(Buffer.from('RFB 003.008\n\x01\x02')),
    ])
      await assert.rejects(screenOf(answer).look(), { name: 'RfbError' })
  })

  it('that keeps silent is given up', async () => {
    await assert.rejects(screenOf(() => {}).look(), {
      code: 'MACHINE_FAILED',
      message: /did not answer within/,
    })
  })
})
