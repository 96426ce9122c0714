import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { MachineHandle } from '../contract/handle.ts'
import type { MouseButton } from '../contract/input.ts'
import type { Machine } from '../contract/machine.ts'
import { type TestEngine, testEngine, testSpec } from '../engines/local/test-engine.ts'
import { waitFor } from '../testing/wait-for.ts'
import { buildImage } from './build-image.ts'

/** Where the panel has the button that opens the menu. */
const menuButton = { x: 26, y: 700 }

/** A wheel as pip gets it from a server: a module and a command. */
const makeWheel = `import zipfile
with zipfile.ZipFile('/tmp/greeting-1.0-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('greeting.py', 'def main(): print("hello from the wheel")')
    info = 'greeting-1.0.dist-info/'
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: greeting\\nVersion: 1.0\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'entry_points.txt', '[console_scripts]\\ngreet = greeting:main\\n')
    wheel.writestr(info + 'RECORD', '')`

describe('the desktop image', () => {
  let test: TestEngine
  let handle: MachineHandle
  let machine: Machine

  before(async () => {
    test = await testEngine()
    const engine = test.open()
    await buildImage('desktop', { imagesDir: engine.settings.imagesDir })
    handle = await engine.create(testSpec({ image: 'desktop', memoryMiB: 2048, pids: 1024, diskMiB: 1024 }))
    machine = await engine.open(handle)
  })
  after(async () => {
    machine?.close()
    await test?.dispose()
  })

  async function run(script: string): Promise<string> {
    const process = await machine.exec({ executable: 'sh', args: ['-ec', script] })
    const [stdout, stderr] = await Promise.all([text(process.stdout), text(process.stderr)])
    assert.deepEqual(await process.exited, { code: 0 }, `${script}: ${stdout}${stderr}`)
    return stdout.trim()
  }

  async function click(
    at: { readonly x: number; readonly y: number },
    button: MouseButton = 'left',
    times = 1,
  ) {
    const input = await machine.screen.input()
    await input.move(at)
    for (let count = 0; count < times; count++) {
      input.press(button)
      input.release(button)
    }
    await input.taken()
  }

  /** A part of the screen. */
  async function pixels(left: number, top: number): Promise<Buffer> {
    const { frame } = await machine.screen.look()
    const row = (y: number) =>
      frame.pixels.subarray((y * frame.width + left) * 4, (y * frame.width + left + 120) * 4)
    return Buffer.concat(Array.from({ length: 120 }, (_, y) => row(top + y)))
  }

  // Both fail if a window closes while they look at it; they are asked again.
  const windows = () => run('wmctrl -lx || true')
  const allWindows = () => run('xwininfo -root -tree || true')
  const isOpen = (name: RegExp) => waitFor(async () => name.test(await windows()))
  const close = async (name: string) => {
    await run(`wmctrl -c '${name}' || true`)
    await waitFor(async () => !(await windows()).includes(name))
  }

  /** Whether the menu of applications shows its window and takes keys. */
  const isMenuOpen = async () => (await allWindows()).includes('"jgmenu"')
  const menuOpens = () => waitFor(isMenuOpen)
  const menuCloses = () => waitFor(async () => !(await isMenuOpen()))

  it('has tools for programs in Python, JavaScript and C', async () => {
    for (const tool of ['pip', 'npm', 'node', 'jq', 'gcc', 'g++', 'make', 'git', 'python', 'python3'])
      assert.match(await run(`${tool} --version`), /\d+\.\d+/, tool)
    assert.match(await run('ffmpeg -version'), /^ffmpeg version \d/)
    assert.match(await run('wmctrl -m'), /Name: Openbox/)
    assert.match(await run('free -m'), /^Mem: +2048 /m)
    assert.equal(await run('nproc'), '1')
  })

  it('compiles and runs a C program', async () => {
    const source = '#include <stdio.h>\\nint main(void) { puts("compiled"); return 0; }\\n'
    assert.equal(await run(`cd /tmp; printf '${source}' > a.c; make -s a; ./a`), 'compiled')
  })

  it('has packages of pip and npm installed for the user, with their commands', async () => {
    await machine.files.write('wheel.py', Buffer.from(makeWheel))
    await run('python3 wheel.py')
    await run('pip install --no-index /tmp/greeting-1.0-py3-none-any.whl')
    assert.equal(await run('greet'), 'hello from the wheel')
    const manifest = JSON.stringify({ name: 'shout', version: '1.0.0', bin: { shout: 'shout.js' } })
    await run(`mkdir /tmp/shout; cd /tmp/shout; echo '${manifest}' > package.json
      printf '#!/usr/bin/env node\\nconsole.log("HELLO")\\n' > shout.js; npm install --offline -g .`)
    assert.equal(await run('shout'), 'HELLO')
    assert.equal(await run("bash -lc 'greet; shout'"), 'hello from the wheel\nHELLO')
  })

  it('has a UTF-8 locale for every process', async () => {
    assert.match(await run('locale'), /^LANG=C\.UTF-8$/m)
    assert.equal(await run('locale charmap'), 'UTF-8')
    assert.equal(await run('sudo locale charmap'), 'UTF-8')
    assert.equal(await run("bash -lc 'locale charmap'"), 'UTF-8')
    assert.equal(await run('LC_ALL=en_US.UTF-8 locale charmap'), 'UTF-8')
    const environment = "tr '\\0' '\\n' < /proc/$(pgrep -x tint2)/environ"
    assert.match(await run(environment), /^LANG=C\.UTF-8$/m)
  })

  it('has a menu of applications that opens from the panel and starts a program', async () => {
    await click(menuButton)
    await menuOpens()
    const [, x = '', y = ''] = /"jgmenu"\).*\+(\d+)\+(\d+)$/m.exec(await allWindows()) ?? []
    // The fourth item is the editor.
    await click({ x: Number(x) + 80, y: Number(y) + 24 + 3 * 35 })
    await isOpen(/mousepad\.Mousepad/)
    await menuCloses()
    await close('Mousepad')
  })

  it('lists an application in the menu that was installed later, also from the menu of the desktop', async () => {
    const entry =
      '[Desktop Entry]\\nType=Application\\nName=Latecomer\\nExec=xmessage -title Latecomer hello\\n'
    await run(`printf '${entry}Categories=Utility;\\n' | sudo tee /usr/share/applications/latecomer.desktop`)
    const before = await pixels(720, 220)
    await click({ x: 700, y: 200 }, 'right')
    await waitFor(async () => !(await pixels(720, 220)).equals(before))
    // The last item, before which the menu begins again.
    await run('xdotool key Up Return')
    await menuOpens()
    await run('xdotool type --delay 100 latecomer')
    await run('xdotool key Return')
    await isOpen(/Latecomer/)
    await menuCloses()
    await close('Latecomer')
  })

  it('shows the files of the Desktop folder, and opens them', async () => {
    assert.ok(!(await windows()).includes('Xfdesktop'), 'an empty folder takes no memory')
    const empty = await pixels(10, 10)
    machine.screen.begin?.()
    await machine.files.write('Desktop/note.txt', Buffer.from('written outside'))
    await isOpen(/Xfdesktop/)
    await waitFor(async () => !(await pixels(10, 10)).equals(empty))
    // The background is painted before the icons.
    await machine.screen.atRest?.({ quietMs: 500, maxMs: 30_000 })
    await click({ x: 70, y: 50 }, 'left', 2)
    await isOpen(/note\.txt - Mousepad/)
    await close('Mousepad')
    // What was there before a restart is there after it.
    machine.close()
    const engine = test.open()
    await engine.restart(handle)
    machine = await engine.open(handle)
    await isOpen(/Xfdesktop/)
  })
})
