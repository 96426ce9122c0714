import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { type DesktopAction, performOnDesktop } from '../../../actions/perform-on-desktop.ts'
import { patienceMs, waitFor } from '../../../testing/wait-for.ts'
import { ConsoleMachine } from './console-machine.ts'
import { pixelAt } from './input/tablet-axis.ts'
import { TestConsole } from './test-console.ts'
import { FirmwareText, glyphsOf } from './test-firmware-text.ts'

const px = (value: number) => ({ type: 'px', value }) as const
const prompt = 'Shell> '
const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('')

const reach = {
  handle: { engine: 'qemu', version: 1, state: {} },
  screenSize: { width: 1280, height: 800 },
  console: { os: 'linux', guestAgent: false },
} as const

describe('a machine without an agent', { timeout: 600_000 }, () => {
  let qemu: TestConsole
  let machine: ConsoleMachine
  let unwatch: () => void
  let closes = 0
  const sizes: string[] = []
  const text = new FirmwareText()

  const openMachine = (onClose = () => {}) => ConsoleMachine.open(reach, qemu.access, onClose)
  before(async () => {
    qemu = await TestConsole.start()
    machine = await openMachine(() => void closes++)
    unwatch = await machine.screen.watch((_, { width, height }) => {
      const size = `${width}x${height}`
      if (sizes.at(-1) !== size) sizes.push(size)
    })
    // Not before, because the screen of a fast firmware would have its last size already.
    qemu.switchOn()
  })
  after(async () => {
    unwatch?.()
    machine?.close()
    await qemu?.close()
  })

  const perform = (action: DesktopAction) => performOnDesktop(action, machine.screen)
  const type = (content: string) => perform({ type: 'keyboard:type', content, treatNewLineAsEnter: true })
  const press = (keys: string) => perform({ type: 'keyboard:hotkey', keys })
  const lines = async () => text.read((await machine.screen.look()).frame)
  const lastLine = async () => (await lines()).findLast(line => line !== '') ?? ''
  /** What QEMU was given while something is done, such as `key shift 1`. */
  const eventsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
    const from = (await qemu.trace()).length
    await work()
    return (await qemu.trace()).slice(from).flatMap(line => {
      const [, kind, what, value] =
        /^input_event_(key|abs|btn)\w* con \S+ (?:key qcode|axis|button) (\S+), (?:down|value) (\S+)/.exec(
          line,
        ) ?? []
      return kind ? [`${kind} ${what} ${Number(value)}`] : []
    })
  }

  it('shows its screen from the first moment on, and follows its size', async () => {
    await waitFor(async () => text.learn((await machine.screen.look()).frame))
    assert.deepEqual(sizes, ['640x480', '1280x800'])
    assert.deepEqual(await machine.screen.size(), { width: 1280, height: 800 })
  })

  it('comes to rest, which a server that is asked for one picture after another would not', async () => {
    await press('Escape')
    await waitFor(async () => (await lastLine()).startsWith('Shell'))
    assert.equal(await machine.screen.settled({ quietMs: 1000, maxMs: patienceMs }), true)
    await machine.screen.look()
    assert.deepEqual((await machine.screen.look()).changed, [])
  })

  it('samples a screen at rest without a new picture, although QEMU is asked for a pixel', async () => {
    const other = await openMachine()
    try {
      const { version, frame } = await other.screen.sample()
      assert.equal(frame?.width, 1280)
      const again = await other.screen.sample(version)
      assert.deepEqual([again.version, again.frame === undefined], [version, true])
    } finally {
      other.close()
    }
  })

  it('types every character of its keyboard exactly', async () => {
    await type(printable.slice(1))
    let glyphs: string[] = []
    await waitFor(async () => {
      const rows = glyphsOf((await machine.screen.look()).frame)
      const row = rows.findLast(cells => cells.some(glyph => glyph.includes('1'))) ?? []
      glyphs = row.slice(prompt.length, prompt.length + printable.length - 1)
      return glyphs.at(-1)?.includes('1') === true
    })
    assert.equal(new Set(glyphs).size, printable.length - 1, 'every character has a shape of its own')
    // The characters that the banner of the shell contains can be read.
    const line = (await lastLine()).slice(prompt.length)
    for (const [at, character] of [...line].entries())
      if (character !== '\ufffd' && character !== '_') assert.equal(character, printable[at + 1])
    await press('Escape')
    await waitFor(async () => (await lastLine()).trim().length <= prompt.length + 1)
  })

  it('runs a command that is typed', async () => {
    await type('echo IUEnad v2.70\n')
    await waitFor(async () => (await lines()).includes('IUEnad v2.70'))
  })

  it('types the same while modifiers are held, which are held again afterwards', async () => {
    await perform({ type: 'key:down', key: 'shift' })
    const events = await eventsOf(() => type('g'))
    assert.deepEqual(events, ['key shift 0', 'key g 1', 'key g 0', 'key shift 1'])
    await perform({ type: 'key:up', key: 'shift' })
    await press('BackSpace')
  })

  it('refuses text that is not on its keyboard with the character, and types nothing of it', async () => {
    const typed = await eventsOf(() =>
      assert.rejects(type('echo é'), {
        code: 'INVALID',
        message: /"é" \(U\+00E9\) at 5 .*nothing was typed; /,
      }),
    )
    const pressed = await eventsOf(() =>
      assert.rejects(press('ctrl+ß'), { code: 'INVALID', message: /no key for "ß"/ }),
    )
    assert.deepEqual([typed, pressed], [[], []])
  })

  it('presses keys together, and releases them in reverse', async () => {
    const events = await eventsOf(() => press('ctrl+alt+F2'))
    assert.deepEqual(events, ['key ctrl 1', 'key alt 1', 'key f2 1', 'key f2 0', 'key alt 0', 'key ctrl 0'])
  })

  it('moves the pointer to exactly the pixel, and reports it', async () => {
    const input = await machine.screen.input()
    const { width, height } = await machine.screen.size()
    for (const [x, y] of [
      [0, 0],
      [width - 1, height - 1],
      [321, 123],
    ] as const) {
      const [horizontal, vertical] = await eventsOf(() => input.move({ x, y }))
      assert.equal(pixelAt(Number(horizontal?.replace('abs x ', '')), width), x)
      assert.equal(pixelAt(Number(vertical?.replace('abs y ', '')), height), y)
      assert.deepEqual(await input.taken(), { x, y })
    }
    const { pointer } = (await machine.screen.look()).frame
    assert.deepEqual([pointer.x, pointer.y], [321, 123])
  })

  it('clicks, scrolls and drags in the order of the calls', async () => {
    const clicked = await eventsOf(() => perform({ type: 'mouse:click', x: px(5), y: px(6), button: 1 }))
    assert.deepEqual(
      clicked.map(event => event.replace(/ \d+$/, '')),
      ['abs x', 'abs y', 'btn left', 'btn left'],
    )
    const scrolled = await eventsOf(() =>
      perform({ type: 'mouse:scroll', x: px(5), y: px(6), stepVertical: 2, stepHorizontal: 0 }),
    )
    assert.deepEqual(
      scrolled.slice(2),
      [1, 0, 1, 0].map(down => `btn wheel-down ${down}`),
    )
    const drag = { startX: px(10), startY: px(10), endX: px(200), endY: px(100), button: 1 } as const
    const dragged = await eventsOf(() => perform({ type: 'mouse:drag', ...drag }))
    assert.equal(dragged[2], 'btn left 1')
    assert.ok(dragged.slice(3, -1).every(event => event.startsWith('abs')))
    assert.equal(dragged.at(-1), 'btn left 0')
  })

  it('refuses wheels that its mouse does not have', async () => {
    const scroll = { type: 'mouse:scroll', x: px(5), y: px(6), stepVertical: 0, stepHorizontal: 1 } as const
    await assert.rejects(perform(scroll), { code: 'INVALID', message: /no wheelRight/ })
  })

  it('explains what it cannot do without an agent', async () => {
    const refused = {
      code: 'LACKS_AGENT',
      message: /no agent that answers, so \w+ cannot be used/,
    }
    await assert.rejects(machine.exec({ executable: 'true' }), refused)
    await assert.rejects(machine.files.stat('/etc'), refused)
    await assert.rejects(machine.files.write('x', Buffer.from('x')), refused)
    await assert.rejects(machine.screen.uiTree(), { code: 'LACKS_AGENT', message: /screenshot/ })
    await assert.rejects(machine.dial('tcp:127.0.0.1:80'), { code: 'INVALID', message: /no agent/ })
    await assert.rejects(machine.dial('screen:x11'), { code: 'INVALID' })
  })

  it('passes its screen on to any number of VNC clients', async () => {
    const streams = await Promise.all([machine.dial('screen:rfb'), machine.dial('screen:rfb')])
    for (const stream of streams) {
      const [greeting] = await once(stream, 'data')
      assert.equal(String(greeting), 'RFB 003.008\n')
      stream.destroy()
    }
  })

  it('uses the new size when the screen changes its mode', async () => {
    await type('exit\n')
    await waitFor(() => sizes.at(-1) === '640x480')
    assert.deepEqual(await machine.screen.size(), { width: 640, height: 480 })
    const { frame } = await machine.screen.look()
    assert.deepEqual([frame.width, frame.height, frame.pixels.length], [640, 480, 4 * 640 * 480])
    const [horizontal] = await eventsOf(() => perform({ type: 'mouse:move', x: px(639), y: px(479) }))
    assert.equal(pixelAt(Number(horizontal?.replace('abs x ', '')), 640), 639)
    await assert.rejects(perform({ type: 'mouse:move', x: px(700), y: px(10) }), { code: 'INVALID' })
    assert.equal(await machine.screen.settled({ quietMs: 500, maxMs: patienceMs }), true)
  })

  it('releases what is held when it is closed', async () => {
    const other = await openMachine()
    await performOnDesktop({ type: 'key:down', key: 'ctrl+a' }, other.screen)
    const from = (await qemu.trace()).length
    other.close()
    await waitFor(async () => {
      const events = (await qemu.trace()).slice(from).join('\n')
      return /key qcode a, down 0(?:.|\n)*key qcode ctrl, down 0/.test(events)
    })
  })

  it('notices the end of QEMU, and then refuses everything', async () => {
    qemu.process.kill('SIGKILL')
    assert.deepEqual(await machine.died, {
      reason: 'the process of the machine (QEMU) ended',
      orderly: false,
    })
    assert.equal(closes, 1)
    await assert.rejects(machine.screen.look(), { code: 'STATE' })
    await assert.rejects(machine.screen.input(), { code: 'STATE' })
  })
})
