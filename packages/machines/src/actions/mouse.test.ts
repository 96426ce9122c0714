import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { DesktopAction } from './perform-on-desktop.ts'
import { px, TestDesktop } from './test-desktop.ts'

const click = (x: number, y: number, more = {}) =>
  ({ type: 'mouse:click', x: px(x), y: px(y), button: 1, ...more }) as const

describe('the mouse', () => {
  let desktop: TestDesktop
  before(async () => {
    desktop = await TestDesktop.start()
  })
  after(() => desktop?.close())

  it('clicks the button of a program at the given coordinates', async () => {
    const shell = desktop.shell('xmessage -print -geometry 300x100+200+200 -buttons one,two,three really?')
    await desktop.until(async () => (await desktop.focused()).includes('xmessage'))
    const tree = await desktop.shell('xwininfo -name xmessage -tree')
    const widgets = [...tree.matchAll(/(\d+)x(\d+)\+\d+\+\d+ {2}\+(\d+)\+(\d+)/g)].map(found =>
      found.slice(1).map(Number),
    )
    // The buttons are small and are in a row below the message.
    const row = widgets.filter(([width = 0, height = 0]) => width < 80 && height < 40 && width > 15)
    const [, , three] = row.sort((a, b) => (a[2] ?? 0) - (b[2] ?? 0)).slice(-3)
    const [width = 0, height = 0, x = 0, y = 0] = three ?? []
    await desktop.perform(click(x + Math.floor(width / 2), y + Math.floor(height / 2)))
    assert.equal((await shell).trim(), 'three')
  })

  it('selects text with a drag, a line with a triple click and a word with a double click', async () => {
    await desktop.shell('printf "first line\\nsecond line\\n" > /home/user/text.txt')
    await desktop.open('l3afpad /home/user/text.txt', 'l3afpad')
    const [, left = '', top = ''] =
      /Absolute upper-left X: +(\d+)[\s\S]*Absolute upper-left Y: +(\d+)/.exec(
        await desktop.shell('xwininfo -id $(xdotool getactivewindow)'),
      ) ?? []
    const [x, y] = [Number(left), Number(top)]
    const content = 'first line\nsecond line\n'
    /** Retries, because on a busy box the clicks may be too far apart for GTK to count them. */
    const replaces = async (action: DesktopAction, word: string, expected: string) => {
      let saved = ''
      const attempt = async () => {
        await desktop.press('ctrl+a')
        await desktop.type(content)
        await desktop.perform(action)
        await desktop.type(word)
        await desktop.until(async () => {
          await desktop.press('ctrl+s')
          saved = await desktop.shell('cat /home/user/text.txt')
          return saved.includes(word)
        })
        // Otherwise the clicks of the next attempt would be counted with these.
        if (saved !== expected) await desktop.shell('sleep 1')
        return saved === expected
      }
      await desktop.until(attempt).catch(() => {})
      assert.equal(saved, expected)
    }
    const [start, end] = [
      { startX: px(x + 3), startY: px(y + 36) },
      { endX: px(x + 500), endY: px(y + 36) },
    ]
    await replaces({ type: 'mouse:drag', button: 1, ...start, ...end }, 'dragged', 'dragged\nsecond line\n')
    const line = { type: 'mouse:tripleClick', x: px(x + 20), y: px(y + 54), button: 1 } as const
    await replaces(line, 'tripled', 'first line\ntripled\n')
    const word = { type: 'mouse:doubleClick', x: px(x + 20), y: px(y + 36), button: 1 } as const
    await replaces(word, 'doubled', 'doubled line\nsecond line\n')
    await desktop.press('ctrl+q')
  })

  it('scrolls a page in a browser down and up again', async () => {
    // One row per shade of red; the darkest is at the top.
    const row = (red: number) => `<table width=100% bgcolor=#${red.toString(16)}0000><tr><td>${red}</table>`
    const page = Array.from({ length: 200 }, (_, i) => row(50 + i)).join('')
    await desktop.machine.files.write('/home/user/page.html', Buffer.from(page))
    await desktop.open('dillo /home/user/page.html', 'dillo')
    const [x, y] = [400, 400]
    const scroll = (stepVertical: number) =>
      desktop.perform({
        type: 'mouse:scroll',
        x: px(x),
        y: px(y),
        stepVertical,
        stepHorizontal: 0,
      })
    const red = async () => {
      const [, shade = '0'] = /^(..)0000$/.exec(await desktop.colourAt(x, y)) ?? []
      return Number.parseInt(shade, 16)
    }
    await desktop.until(async () => (await red()) > 0)
    const before = await red()
    await scroll(10)
    await desktop.until(async () => (await red()) > before + 5)
    await scroll(-10)
    await desktop.until(async () => (await red()) === before)
    await desktop.press('ctrl+q')
  })

  it('has five buttons that can be pressed together and two wheels, and holds keys for all of them', async () => {
    await desktop.shell('xev -event button -event keyboard > /home/user/xev.log 2>&1 &')
    await desktop.until(async () =>
      (await desktop.shell('xwininfo -name "Event Tester" 2>&1')).includes('IsViewable'),
    )
    const [, left = '', top = ''] =
      /Absolute upper-left X: +(\d+)[\s\S]*Absolute upper-left Y: +(\d+)/.exec(
        await desktop.shell('xwininfo -name "Event Tester"'),
      ) ?? []
    const [x, y] = [Number(left) + 90, Number(top) + 90]
    const heard = async (count: number): Promise<string[]> => {
      let events: string[] = []
      await desktop.until(async () => {
        const log = await desktop.shell('cat /home/user/xev.log')
        events = [...log.matchAll(/(Button\w+) event[\s\S]*?state (0x\w+), button (\d+)/g)].map(
          ([, kind, state, button]) => `${kind === 'ButtonPress' ? 'down' : 'up'} ${button} ${state}`,
        )
        return events.length >= count
      })
      return events.slice(-count)
    }
    await desktop.perform(click(x, y, { button: 31 }))
    assert.deepEqual(
      (await heard(10)).map(event => event.replace(/ 0x.*/, '')),
      ['down 1', 'down 3', 'down 2', 'down 8', 'down 9', 'up 1', 'up 3', 'up 2', 'up 8', 'up 9'],
    )
    await desktop.perform(click(x, y, { button: 2, holdKey: 'ctrl+shift' }))
    assert.deepEqual(await heard(2), ['down 3 0x5', 'up 3 0x405'])
    await desktop.perform({
      type: 'mouse:scroll',
      x: px(x),
      y: px(y),
      stepVertical: -1,
      stepHorizontal: 2,
      holdKey: 'shift',
    })
    const turned = ['down 4 0x1', 'up 4 0x801', 'down 7 0x1', 'up 7 0x1', 'down 7 0x1', 'up 7 0x1']
    assert.deepEqual(await heard(6), turned)
    assert.equal(await desktop.held(), '0 0 0')
  })

  it('clicks as often as asked, also while the window manager is slow to let a click pass', async () => {
    const log = '/home/user/clicks.log'
    await desktop.shell(`xev -name Slow -geometry 300x200+500+300 -event button > ${log} 2>&1 &`)
    await desktop.until(async () => (await desktop.shell('xwininfo -name Slow 2>&1')).includes('IsViewable'))
    const presses = async () => Number(await desktop.shell(`grep -c ^ButtonPress ${log} || true`))
    // It goes on before, between and during the clicks, each of which it would swallow if the next one came too early.
    const waits = [20, 50, 80, 110, 140, 200]
    for (const [before, waitMs] of waits.entries()) {
      // One script for both signals, because on a busy box a second one would begin too late.
      const script = `pkill -STOP openbox; echo stopped; sleep ${waitMs / 1000}; pkill -CONT openbox`
      const slow = await desktop.machine.exec({ executable: 'sh', args: ['-c', script] })
      await slow.stdout[Symbol.asyncIterator]().next()
      await desktop.perform({ ...click(600, 400), type: 'mouse:tripleClick' })
      await slow.exited
      await desktop.until(async () => (await presses()) >= before * 3 + 3)
      assert.equal(await presses(), before * 3 + 3)
    }
    await desktop.shell('xdotool search --name Slow windowclose')
  })

  it('moves to pixels, to fractions of the screen, and relative to its position', async () => {
    const input = await desktop.machine.screen.input()
    const move = async (x: object, y: object, more = {}) => {
      await desktop.perform({ type: 'mouse:move', x, y, ...more } as never)
      return input.taken()
    }
    const fraction = (numerator: number, denominator: number) => ({ type: '/', numerator, denominator })
    assert.deepEqual(await move(px(10), px(20)), { x: 10, y: 20 })
    assert.deepEqual(await move(px(-3), px(5.9), { relative: true }), { x: 7, y: 25 })
    assert.deepEqual(await move(fraction(1, 1), fraction(0, 7)), { x: 1279, y: 0 })
    assert.deepEqual(await move(fraction(1, 3), fraction(2, 3)), { x: 426, y: 480 })
    assert.deepEqual(await move(fraction(-1, 10), fraction(1, 10), { relative: true }), { x: 298, y: 552 })
  })

  it('refuses a point outside the screen, reports the screen size, and leaves no key or button down', async () => {
    const size = /outside the screen: it is 1280x720, so [xy] goes from 0 to (1279|719)/
    const wrong = [
      click(1280, 0),
      click(0, 720),
      click(-1, 0, { holdKey: 'ctrl' }),
      click(1e300, 5),
      { ...click(0, 0), x: { type: '/', numerator: 11, denominator: 10 } },
      { ...click(-2000, 0), relative: true },
      {
        type: 'mouse:drag',
        button: 1,
        holdKey: 'shift',
        startX: px(5),
        startY: px(5),
        endX: px(5000),
        endY: px(5),
      },
    ] as const
    for (const action of wrong)
      await assert.rejects(desktop.perform(action as never), { code: 'INVALID', message: size })
    await assert.rejects(desktop.perform(click(5, 5, { holdKey: 'ctrl+nokey' })), /"nokey" in "ctrl\+nokey"/)
    assert.equal(await desktop.held(), '0 0 0')
  })

  it('releases its buttons when a drag is aborted', async () => {
    const { screen } = desktop.machine
    const stop = new AbortController()
    const unwatch = await screen.watch((_, { pointer }) => {
      if (pointer.x > 1000) stop.abort()
    })
    const dragging = desktop.perform(
      {
        type: 'mouse:drag',
        button: 1,
        holdKey: 'shift',
        startX: px(1000),
        startY: px(700),
        endX: px(1200),
        endY: px(710),
      },
      stop.signal,
    )
    await assert.rejects(dragging, { name: 'AbortError' })
    unwatch()
    assert.equal(await desktop.held(), '0 0 0')
  })
})
