import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { keysymNames } from '@sandglass/wire/x11'
import { keysymsOf } from './keys.ts'
import { TestDesktop } from './test-desktop.ts'

/** Keys that change the meaning of the keys after them. */
const changers =
  /^(VoidSymbol|.*Lock|ISO_(Level|Group|Next|Prev|First|Last|Lock).*|Mode_switch|script_switch|.*_switch|XF86(Switch_VT|Ungrab|ClearGrab|Next_VMode|Prev_VMode|LogGrabInfo|LogWindowTree).*|Pointer_.*|AccessX_.*|RepeatKeys.*|SlowKeys.*|BounceKeys.*|StickyKeys.*|MouseKeys.*|AudibleBell.*|Terminate_Server|Overlay.*)$/

/** The window manager grabs it, so no program receives it. */
const windowManagers = 'Print'

describe('keys', () => {
  it('have the names of xdotool, and the short names that people use', () => {
    const names: [string, number[]][] = [
      ['a', [0x61]],
      ['A', [0x41]],
      ['Return', [0xff0d]],
      ['enter', [0xff0d]],
      ['ctrl+s', [0xffe3, 0x73]],
      ['Ctrl+Alt+Delete', [0xffe3, 0xffe9, 0xffff]],
      ['super', [0xffeb]],
      ['KP_0', [0xffb0]],
      ['f5', [0xffc2]],
      ['ctrl++', [0xffe3, 0x2b]],
      ['+', [0x2b]],
      ['alt+Tab+Tab', [0xffe9, 0xff09, 0xff09]],
      ['é', [0xe9]],
      ['漢', [0x0100_6f22]],
      ['U20AC', [0x0100_20ac]],
      ['0xff0d', [0xff0d]],
      ['XF86AudioPlay', [0x1008_ff14]],
    ]
    for (const [keys, keysyms] of names) assert.deepEqual(keysymsOf(keys), keysyms, keys)
  })

  it('that do not exist are refused, and the error shows what to write', () => {
    for (const keys of ['', 'ctrl+', '+a', 'nokey', 'ctrl+nokey', '\u0007', 'ctrl s', '0x0', 'U110000', ' '])
      assert.throws(
        () => keysymsOf(keys),
        { code: 'INVALID', message: /is no key: write/ },
        JSON.stringify(keys),
      )
    assert.throws(() => keysymsOf('a+'.repeat(40)), { code: 'INVALID' })
  })
})

describe('a program', () => {
  let desktop: TestDesktop
  let heard = 0
  before(async () => {
    desktop = await TestDesktop.start()
    // On a busy box a key may be down for so long that it would repeat.
    await desktop.shell(`python3 - <<'E'
import ctypes
x = ctypes.CDLL('libX11.so.6')
x.XOpenDisplay.restype = ctypes.c_void_p
d = ctypes.c_void_p(x.XOpenDisplay(None))
x.XAutoRepeatOff(d)
x.XSync(d, 0)
E`)
    await desktop.shell('xev -event keyboard > /home/user/xev.log 2>&1 &')
    await desktop.until(
      async () =>
        (await desktop.focused()).includes('xev') ||
        (await desktop.shell('xdotool getactivewindow getwindowname 2>&1')).includes('Event Tester'),
    )
    heard = (await events()).length
  })
  after(() => desktop?.close())

  const events = async (): Promise<string[]> => {
    const log = await desktop.shell('cat /home/user/xev.log')
    return [...log.matchAll(/Key(Press|Release) event[\s\S]*?keysym 0x([0-9a-f]+)/g)].map(
      ([, kind, keysym]) => `${kind === 'Press' ? '+' : '-'}${keysym}`,
    )
  }

  /** The events since the last call, as soon as there are this many. */
  const next = async (count: number): Promise<string[]> => {
    let all: string[] = []
    await desktop.until(async () => {
      all = await events()
      return all.length >= heard + count
    })
    const fresh = all.slice(heard)
    heard = all.length
    return fresh
  }

  const until = async (last: string): Promise<string[]> => {
    let fresh: string[] = []
    await desktop.until(async () => {
      fresh = (await events()).slice(heard)
      return fresh.at(-1) === last
    })
    heard += fresh.length
    return fresh
  }

  it('receives the keysym of every name', async () => {
    const keysyms = [...new Map([...keysymNames].map(([name, keysym]) => [keysym, name]))]
      .filter(([keysym, name]) => keysym !== 0xffc4 && name !== windowManagers && !changers.test(name))
      .map(([, name]) => name)
    assert.ok(keysyms.length > 2000)
    const hex = (name: string) => (keysymNames.get(name) ?? 0).toString(16)
    const wrong: string[] = []
    for (let i = 0; i < keysyms.length; i += 30) {
      const some = keysyms.slice(i, i + 30)
      for (const name of some) await desktop.press(name)
      // Some keys need Shift, which arrives as an event too, so a key that is not in the list marks the end.
      await desktop.press('F7')
      const pressed = await until('-ffc4')
      wrong.push(...some.filter(name => !pressed.includes(`+${hex(name)}`)))
    }
    assert.deepEqual(wrong, [])
  })

  it('receives the keys of a chord in order, and a key that is named twice twice', async () => {
    await desktop.press('ctrl+a+b')
    assert.deepEqual(await next(6), ['+ffe3', '+61', '+62', '-62', '-61', '-ffe3'])
    await desktop.press('x+x')
    assert.deepEqual(await next(4), ['+78', '-78', '+78', '-78'])
  })

  it('sees a key held for its duration, and keys held across calls', async () => {
    await desktop.perform({ type: 'keyboard:hotkey', keys: 'F7', duration: 50 })
    assert.deepEqual(await next(2), ['+ffc4', '-ffc4'])
    await desktop.perform({ type: 'key:down', key: 'shift' })
    await desktop.press('a')
    await desktop.perform({ type: 'key:up', key: 'shift' })
    assert.deepEqual(await next(4), ['+ffe1', '+41', '-41', '-ffe1'])
  })
})
