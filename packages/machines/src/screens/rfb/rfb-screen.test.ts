import assert from 'node:assert/strict'
import { type Duplex, duplexPair } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { px, TestDesktop } from '../../actions/test-desktop.ts'
import type { Damage, Frame } from '../../contract/screen.ts'
import { ManualClock } from '../../testing/manual-clock.ts'
import { patienceMs } from '../../testing/wait-for.ts'
import { SettleDetector } from '../settle-detector.ts'
import { RfbScreen } from './rfb-screen.ts'

const colourAt = ({ pixels, width }: Pick<Frame, 'pixels' | 'width'>, x: number, y: number) =>
  Buffer.from(pixels.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)).toString('hex')

/** Prints in two steps, and touches a file when the terminal has confirmed that it processed all output. */
const printer = `stty -icanon -echo
printed() { printf '\\033[6n'; dd bs=1 count=7 >/dev/null 2>&1; touch "/tmp/printed-$1"; read -r line; }
seq 100
printed first
seq 200 203
printed second
`

describe('the picture of a screen', () => {
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

  const colour = async () => colourAt((await screen.look()).frame, 1160, 3)

  /** Changes arrive in order: when a watcher has received this one, it has received everything drawn before. */
  const mark = { x: 1260, y: 700, width: 8, height: 8 }

  it('follows what is drawn, over one connection for all callers', async () => {
    const looks = await Promise.all([1, 2, 3].map(() => screen.look()))
    for (const { frame } of looks) assert.deepEqual([frame.width, frame.height], [1280, 720])
    await paint('ff0000')
    await desktop.until(async () => (await colour()) === 'ff0000')
    assert.equal(dialled.length, 1)
  })

  it('reports what changed since the last look, if anything', async () => {
    await desktop.until(async () => (await screen.look()).changed.length === 0)
    await paint('00ff00')
    await desktop.until(async () => (await colour()) === '00ff00')
    let isPainted = false
    const unwatch = await screen.watch((_, frame) => {
      const corners = [colourAt(frame, 0, 0), colourAt(frame, 1279, 719)]
      isPainted = corners.every(corner => corner === '0000ff')
    })
    await paint('0000ff')
    await desktop.until(async () => isPainted)
    unwatch()
    const { changed } = await screen.look()
    const covered = changed.reduce((sum, { width, height }) => sum + width * height, 0)
    assert.ok(covered >= 1280 * 720 * 0.9, JSON.stringify(changed))
  })

  it('sends watchers the whole screen and then the changes, even after a lost connection', async () => {
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

  it('reports scrolled lines of a terminal as a copy, and new lines as a change', async () => {
    const reported: Damage[] = []
    let marked = ''
    const unwatch = await screen.watch((changed, frame) => {
      reported.push(...changed)
      marked = colourAt(frame, mark.x, mark.y)
    })
    const drawn = async (step: string, colour: string) => {
      await desktop.until(async () => (await desktop.shell('ls /tmp')).includes(`printed-${step}`))
      await desktop.fill(mark, colour)
      await desktop.until(async () => marked === colour)
    }
    await desktop.machine.files.write('/tmp/printer.sh', Buffer.from(printer))
    await desktop.open('xterm -geometry 80x24+40+40 -e sh /tmp/printer.sh', 'XTerm')
    await drawn('first', '112233')
    reported.length = 0
    await desktop.type('\n')
    await drawn('second', '445566')
    const isLarge = ({ width, height }: Damage) => width > 200 && height > 100
    const terminal = reported.filter(({ x }) => x < mark.x)
    assert.ok(
      terminal.some(each => each.from && isLarge(each)),
      JSON.stringify(reported),
    )
    for (const { x, y, from } of reported)
      if (from) assert.ok(from.x === x && from.y > y, JSON.stringify(reported))
    assert.ok(terminal.some(({ from }) => !from))
    assert.ok(!reported.some(each => !each.from && isLarge(each)), JSON.stringify(reported))
    await desktop.type('\n')
    unwatch()
  })

  it('reports the pointer to watchers although nothing else changes', async () => {
    const places: string[] = []
    const unwatch = await screen.watch((_, { pointer }) => void places.push(`${pointer.x},${pointer.y}`))
    await screen.moveTo({ x: 77, y: 88 })
    assert.equal(places.at(-1), '77,88')
    unwatch()
  })

  it('has the pointer where it was moved, although a report of where it was before arrives after that', async () => {
    const unwatch = await screen.watch(() => {})
    const stream = dialled.at(-1)
    assert.ok(stream)
    stream.pause()
    await desktop.shell('xdotool mousemove 400 300')
    await desktop.until(async () => stream.readableLength > 0)
    const moved = screen.moveTo({ x: 120, y: 130 })
    stream.resume()
    await moved
    const { x, y } = (await screen.look()).frame.pointer
    assert.deepEqual([x, y], [120, 130])
    unwatch()
  })

  it('catches up after nobody looked for a while', async () => {
    await screen.look()
    // What it knows may be outdated once updates are paused.
    await desktop.until(async () => screen.size === undefined)
    await paint('654321')
    await desktop.until(async () => (await colour()) === '654321')
    assert.equal(dialled.length, 2)
  })

  it('takes samples only of what has changed, without following it in between', async () => {
    const sampled = async (known?: number) => {
      const { version, frame } = await screen.sample(known)
      return { version, colour: frame && colourAt(frame, 1160, 3) }
    }
    // Those who look have the picture kept current for a while.
    await screen.look()
    await desktop.until(async () => screen.size === undefined)
    const { version } = await sampled()
    assert.deepEqual(await sampled(version), { version, colour: undefined })
    assert.notEqual(screen.size, undefined, 'a screen at rest is followed until it changes')
    await paint('0f1e2d')
    await desktop.until(async () => screen.size === undefined)
    await paint('2d1e0f')
    await desktop.until(async () => (await sampled(version)).colour === '2d1e0f')
    assert.equal(screen.size, undefined, 'a screen that changes is left alone')
    const { changed } = await screen.look()
    const covered = changed.reduce((sum, { width, height }) => sum + width * height, 0)
    assert.ok(covered >= 1280 * 720 * 0.9, JSON.stringify(changed))
    await desktop.until(async () => screen.size === undefined)
    const last = await sampled()
    await desktop.until(async () => screen.size === undefined)
    assert.deepEqual(await sampled(last.version), { version: last.version, colour: undefined })
    assert.deepEqual((await screen.look()).changed, [], 'nothing has changed while nobody looked')
  })

  it('reconnects by itself when the connection is lost', async () => {
    dialled.at(-1)?.destroy()
    await paint('abcdef')
    await desktop.until(async () => (await colour().catch(() => '')) === 'abcdef')
    assert.equal(dialled.length, 3)
  })

  it('keeps the pointer out of the pixels, and reports its position and image', async () => {
    await screen.moveTo({ x: 300, y: 200 })
    await desktop.until(async () => (await screen.look()).frame.pointer.image !== undefined)
    const { frame } = await screen.look()
    assert.deepEqual([frame.pointer.x, frame.pointer.y], [300, 200])
    assert.ok((frame.pointer.image?.width ?? 0) > 4)
    assert.equal(colourAt(frame, 302, 205), 'abcdef')
  })

  it('settles although a caret blinks, but not while something changes', async () => {
    await desktop.open('l3afpad', 'l3afpad')
    await desktop.perform({ type: 'mouse:move', x: px(5), y: px(5) })
    assert.equal(await screen.settled({ quietMs: 700, maxMs: patienceMs }), true)

    const clock = new ManualClock()
    const watched = new RfbScreen(() => desktop.machine.dial('screen:rfb'), {
      settleDetector: new SettleDetector(clock),
    })
    try {
      let shown = ''
      await watched.watch((_, frame) => {
        shown = colourAt(frame, 1160, 3)
      })
      const settled = watched.settled({ quietMs: 200, maxMs: 400 })
      for (const colour of ['0a0a0a', '0b0b0b', '0c0c0c', '0d0d0d']) {
        await paint(colour)
        await desktop.until(async () => shown === colour)
        await clock.advance(100)
      }
      assert.equal(await settled, false)
    } finally {
      watched.close()
    }
  })
})

describe('a screen that is not trusted', () => {
  const screenOf = (answer: (far: Duplex) => void) =>
    new RfbScreen(async () => {
      const [near, far] = duplexPair()
      far.on('error', () => {}).resume()
      answer(far)
      return near
    })

  it('that does not speak RFB, or disconnects, only fails the look', async () => {
    for (const answer of [
      (far: Duplex) => void far.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
      (far: Duplex) => void far.end(),
      (far: Duplex) => void far.end(Buffer.from('RFB 003.008\n\x01\x02')),
    ])
      await assert.rejects(screenOf(answer).look(), {
        code: 'MACHINE_FAILED',
        message: /^The screen of the machine cannot be used: /,
      })
  })

  it('that sends nothing times out', async () => {
    await assert.rejects(screenOf(() => {}).look(), {
      code: 'MACHINE_FAILED',
      message: /did not answer within/,
    })
  })
})
