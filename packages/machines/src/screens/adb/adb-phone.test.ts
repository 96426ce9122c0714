import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { AdbLink } from '../../adb/adb-link.ts'
import { DeviceShell } from '../../adb/device-shell.ts'
import type { Machine } from '../../contract/machine.ts'
import { type TestEngine, testEngine, testSpec } from '../../engines/local/test-engine.ts'
import { buildImage } from '../../images/index.ts'
import { patienceMs, waitFor } from '../../testing/wait-for.ts'
import { AdbPhone } from './adb-phone.ts'
import { linkOver } from './device.ts'
import { MonkeyInjector } from './monkey-injector.ts'
import { ShellInjector } from './shell-injector.ts'

let engine: TestEngine
let machine: Machine
before(async () => {
  engine = await testEngine()
  await buildImage('phone', { imagesDir: engine.options.imagesDir ?? assert.fail() })
  const local = engine.open()
  const spec = testSpec({ image: 'phone', memoryMiB: 1024, screen: { width: 720, height: 1280 } })
  machine = await local.open(await local.create(spec))
})
after(async () => {
  machine?.close()
  await engine?.dispose()
})

const dial = () => machine.dial('tcp:127.0.0.1:5555')

async function inside(script: string): Promise<string> {
  const process = await machine.exec({ executable: 'sh', args: ['-c', script] })
  return text(process.stdout)
}

const front = async () => /mFocusedApp=\S+ u0 (\S+)\//.exec(await inside('dumpsys window'))?.[1]

async function withLink(work: (link: AdbLink, shell: DeviceShell) => Promise<void>): Promise<void> {
  const link = await AdbLink.open(await dial())
  try {
    await work(link, await DeviceShell.open(link))
  } finally {
    link.close()
  }
}

test('a persistent shell returns the output and the exit code of each command, whatever it prints', () =>
  withLink(async (_, shell) => {
    assert.deepEqual(await shell.run('printf "Grüße 漢字 🙂"; exit_code() { return 7; }; exit_code'), {
      code: 7,
      output: 'Grüße 漢字 🙂',
    })
    assert.deepEqual(await shell.run('cat; echo err >&2; true'), { code: 0, output: 'err\n' })
    const [first, second] = await Promise.all([shell.run('sleep 0.1; echo 1'), shell.run('echo 2')])
    assert.deepEqual([first?.output, second?.output], ['1\n', '2\n'])
    const long = await shell.run('i=0; while [ $i -lt 20000 ]; do echo "漢 $i"; i=$((i+1)); done')
    assert.equal(long.output.split('\n').length, 20_001)
    assert.ok(!long.output.includes('\ufffd'))
    assert.deepEqual(await shell.run('no-such-command 2>/dev/null'), { code: 127, output: '' })
  }))

test('a shell that prints without end, or exits, fails with an explanation', async () => {
  await withLink(async (_, shell) => {
    await assert.rejects(shell.run('yes'), { code: 'MACHINE_FAILED', message: /printed more than/ })
  })
  await withLink(async (_, shell) => {
    await assert.rejects(shell.run('exit 3'), { code: 'MACHINE_FAILED', message: /ended its shell/ })
    await shell.ended
  })
})

test('both injectors tap, hold and press alike', () =>
  withLink(async (link, shell) => {
    const monkey = await MonkeyInjector.open(link)
    assert.ok(monkey)
    const place = { x: 360, y: 1155 }
    for (const injector of [monkey, new ShellInjector(shell)]) {
      assert.deepEqual(await injector.size(), { width: 720, height: 1280 })
      await injector.key('HOME')
      assert.equal(await front(), 'com.sandglass.launcher')
      await injector.touch({ from: place, to: place, durationMs: 0 })
      await waitFor(async () => (await front()) === 'com.sandglass.notes')
      await injector.key('HOME')
      await injector.finger('down', place)
      await injector.finger('move', { x: 361, y: 1156 })
      assert.equal(await front(), 'com.sandglass.launcher')
      await injector.finger('up', { x: 361, y: 1156 })
      await waitFor(async () => (await front()) === 'com.sandglass.notes')
      await assert.rejects(injector.key('NO_SUCH'), { code: 'INVALID', message: /NO_SUCH/ })
    }
    await assert.rejects(
      monkey.touch({ from: place, to: { x: 0, y: 0 }, durationMs: 60_000 }, AbortSignal.timeout(50)),
    )
    await monkey.key('HOME')
    monkey.close()
    await monkey.ended
  }))

test('a watcher receives the whole screen and then the changes', async t => {
  const phone = new AdbPhone(linkOver(dial))
  t.after(() => phone.screen.close())
  const seen: string[] = []
  await phone.press(['HOME'])
  const stop = await phone.screen.watch(rects => {
    for (const { width, height } of rects) seen.push(`${width}x${height}`)
  })
  assert.equal(seen[0], '720x1280')
  await phone.start('com.sandglass.contacts')
  await waitFor(async () => seen.length > 1)
  stop()
  const { frame, changed } = await phone.screen.look()
  assert.deepEqual([frame.width, frame.height, changed.length], [720, 1280, 1])
  assert.equal(await phone.screen.settled({ quietMs: 50, maxMs: patienceMs }), true)
})

test('a device is reconnected when its connection, shell or monkey ends', async t => {
  const streams: Awaited<ReturnType<typeof dial>>[] = []
  const dialled = async () => {
    const stream = await dial()
    streams.push(stream)
    return stream
  }
  const phone = new AdbPhone(linkOver(dialled))
  t.after(() => phone.screen.close())
  const count = (await phone.apps()).length
  const kill = (find: string) => () => inside(`kill -9 $(${find}) 2>/dev/null || :`)
  const ends = [
    async () => streams.at(-1)?.destroy(),
    kill("pgrep -f '^/usr/bin/perl /usr/bin/monkey'"),
    kill(`ps -eo pid,tty,args | awk '$2 ~ /pts/ && $3 == "sh" { print $1 }'`),
  ]
  for (const end of ends) {
    const before = streams.length
    // Repeat it: a connection starts its processes a moment after it is used, and those of the one before may still be there.
    await waitFor(async () => {
      await end()
      await phone.apps().catch(() => [])
      return streams.length > before
    })
    await waitFor(async () => (await phone.apps().catch(() => [])).length === count)
  }
})

test('no process is left on a device after its connections were lost, whatever they were doing', async () => {
  const ours = () => inside(`ps -eo tty,args | grep -c '^pts\\|[m]onkey --port' || :`)
  for (const command of ['', 'sleep 1000', 'cat /dev/zero']) {
    const link = await AdbLink.open(await dial())
    const shell = await DeviceShell.open(link)
    await MonkeyInjector.open(link)
    assert.notEqual((await ours()).trim(), '0')
    const running = command === '' ? undefined : shell.run(command).catch(() => {})
    link.close()
    await running
    await waitFor(async () => (await ours()).trim() === '0')
  }
})
