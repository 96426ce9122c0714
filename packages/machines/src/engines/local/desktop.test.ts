import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { queryKeymap, queryPointer, readKeymap, readPointer } from '@sandglass/wire/x11'
import type { Machine } from '../../contract/machine.ts'
import { X11Connection } from '../../screens/x11/x11-connection.ts'
import { patienceMs } from '../../testing/wait-for.ts'
import { idOf } from './handle.ts'
import type { LocalEngine } from './local-engine.ts'
import { machinePaths } from './machine-paths.ts'
import { awaitSocket } from './network/unix-socket.ts'
import { findInit } from './oci/init-process.ts'
import { sharedRange } from './oci/uid-ranges.ts'
import { type TestEngine, testEngine, testSpec } from './test-engine.ts'

const shell = async (machine: Machine, script: string) =>
  (await text((await machine.exec({ executable: 'sh', args: ['-c', script] })).stdout)).trim()

describe('the desktop of a machine', () => {
  let test: TestEngine
  let engine: LocalEngine
  before(async () => {
    test = await testEngine()
    engine = test.open()
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
  })

  it('is 1280x720 with a window manager as soon as create has resolved', async () => {
    const machine = await engine.open(await engine.create(testSpec()))
    const said = await shell(machine, 'xdpyinfo | grep dimensions; xprop -root _NET_SUPPORTING_WM_CHECK')
    assert.match(said, /1280x720 pixels/)
    assert.match(said, /window id # 0x/)
    assert.deepEqual(machine.screenSize, { width: 1280, height: 720 })
  })

  it('uses the keymap and the table of composed characters that its image has compiled already', async () => {
    const handle = await engine.create(testSpec())
    const machine = await engine.open(handle)
    // Beside a table that it cannot use, or over it, the window manager writes its own.
    const tables = 'find /home/user/.compose-cache -type f'
    assert.match(await shell(machine, tables), /^\S+$/)
    assert.equal(await shell(machine, `${tables} -newer /tmp/.X11-unix/ready`), '')
    // What the display asks for is known, and the compiler itself says the same; its files have bytes without a meaning.
    const [ask, compiler] = ['/usr/bin/xkbcomp', '/usr/lib/sandglass/xkbcomp']
    const keymap = '/usr/lib/sandglass/keymap'
    const compile = `-w 0 -R/usr/share/X11/xkb -xkm - /tmp/asked.xkm < ${keymap}/words`
    const compare = `cmp /tmp/asked.xkm ${keymap}/compiled.xkm; rm /tmp/asked.xkm`
    assert.equal(await shell(machine, `(${ask} ${compile}; ${compare}) 2>&1`), '')
    const read = (file: string) => `${compiler} -w 0 -xkb ${file} - 2>&1`
    const text = await shell(machine, `${compiler} ${compile} 2>&1; ${read('/tmp/asked.xkm')}`)
    assert.match(text, /xkb_symbols/)
    assert.equal(await shell(machine, read(`${keymap}/compiled.xkm`)), text)
    assert.match(await shell(machine, 'echo nonsense | xkbcomp -w 1 -xkm - /tmp/none.xkm 2>&1'), /rror/)
    await engine.destroy(handle)
  })

  it('does not hold what somebody pressed whose connection is lost', async () => {
    const handle = await engine.create(testSpec())
    const shift = 0xffe1
    const first = await engine.open(handle)
    const input = await first.screen.input()
    await input.prepare([shift])
    input.keyDown(shift)
    input.press('left')
    await input.taken()
    const watching = await X11Connection.open(await first.dial('screen:x11'))
    const held = async () => [
      (await watching.ask(queryKeymap(), readKeymap)).length,
      (await watching.ask(queryPointer(watching.setup.root), readPointer)).buttons,
    ]
    assert.deepEqual(await held(), [1, 1])
    first.close()
    await (await (await engine.open(handle)).screen.input()).taken()
    assert.deepEqual(await held(), [0, 0])
    watching.close()
    await engine.destroy(handle)
  })

  it('has the size and the environment of the spec', async () => {
    const spec = testSpec({ screen: { width: 1000, height: 600 }, env: { GREETING: 'hello there' } })
    const machine = await engine.open(await engine.create(spec))
    assert.match(await shell(machine, 'xdpyinfo | grep dimensions'), /1000x600 pixels/)
    assert.equal(await shell(machine, 'echo $GREETING'), 'hello there')
    assert.equal(await shell(machine, 'hostname 2>/dev/null || cat /proc/sys/kernel/hostname'), spec.id)
  })

  it('comes back by itself when its server is killed', async () => {
    const handle = await engine.create(testSpec())
    const machine = await engine.open(handle)
    const { sockets } = machinePaths(engine.settings, idOf(handle))
    const before = await machine.dial('screen:rfb')
    before.on('error', () => {}).resume()
    const closed = new Promise<void>(resolve => before.once('close', resolve).once('end', resolve))
    await shell(
      machine,
      'for p in /proc/[0-9]*; do grep -q ^Xtigervnc $p/comm && kill -9 $(basename $p); done',
    )
    await closed
    before.destroy()
    const again = await awaitSocket(sockets, 'rfb', AbortSignal.timeout(patienceMs))
    const [greeting] = await again.take(1).toArray()
    assert.match(String(greeting), /^RFB/)
  })

  it('refuses an invalid spec and a missing image', async () => {
    await assert.rejects(engine.create(testSpec({ id: '../up' })), /id must be/)
    await assert.rejects(engine.create(testSpec({ screen: { width: 0, height: 1 } })), /screen must be/)
    await assert.rejects(engine.create(testSpec({ egress: [{ cidr: 'everywhere' }] })), /not an IPv4 network/)
    await assert.rejects(engine.create(testSpec({ image: 'no-such' })), /no image recipe/)
    assert.equal((await readdir(engine.settings.machinesDir)).length, 3)
  })

  it('is refused beyond the capacity of the host, and nothing is created', async () => {
    const full = await testEngine({ reserveMemoryMiB: 1 << 30 })
    try {
      await assert.rejects(full.open().create(testSpec()), { code: 'NO_CAPACITY' })
      assert.deepEqual(await full.open().list(), [])
    } finally {
      await full.dispose()
    }
  })
})

describe('on a host that cannot map owners', () => {
  it('machines run in one shared range of user ids, and sudo works', async () => {
    const test = await testEngine({ mapOwners: false })
    const engine = test.open()
    try {
      const handle = await engine.create(testSpec())
      const init = await findInit(machinePaths(engine.settings, idOf(handle)))
      assert.equal((await stat(`/proc/${init?.pid}`)).uid, sharedRange.base)
      const machine = await engine.open(handle)
      assert.equal(await shell(machine, 'id -u; sudo id -u; stat -c %U /etc/passwd'), '1000\n0\nroot')
      await engine.restart(handle)
    } finally {
      await engine.close()
      await test.dispose()
    }
  })
})
