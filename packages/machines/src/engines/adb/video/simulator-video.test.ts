import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import type { Machine } from '../../../contract/machine.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { AdbEngine } from '../adb-engine.ts'
import { TestAdbServer } from '../test-adb-server.ts'
import { type TestSimulators, testSimulators } from '../test-simulators.ts'
import { ScrcpyServer } from './scrcpy-server.ts'
import { encodeH264, videoPacket } from './test-h264.ts'
import { isSame, picture } from './test-pictures.ts'
import { TestWatcher } from './test-watcher.ts'

/** Stands in for Android's app_process: it runs the scrcpy server from CLASSPATH, which shows a prepared video. */
const appProcess = `#!/usr/bin/python3
import os, re, socket, sys, time
if open(os.environ['CLASSPATH'], 'rb').read() != b'the server':
    sys.exit('this is no server')
if sys.argv[3] != '2.4':
    sys.exit('[server] ERROR: The server version (2.4) does not match the client (%s)' % sys.argv[3])
name = re.search('scid=([0-9a-f]{8})', ' '.join(sys.argv)).group(1)
listener = socket.socket(socket.AF_UNIX)
listener.bind(bytes([0]) + b'scrcpy_' + name.encode())
listener.listen(1)
client, _ = listener.accept()
client.sendall(open('/tmp/film', 'rb').read())
time.sleep(1000)
`

const screen = { width: 720, height: 1280 }
const whole = { x: 0, y: 0, ...screen }
const pictures = [picture(screen, whole, [250, 20, 30]), picture(screen, whole, [10, 240, 40])]
const [, second = assert.fail()] = pictures

let simulators: TestSimulators
let adbServer: TestAdbServer
let folder: string
let address: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandglass-phones-'))
  simulators = await testSimulators(1)
  const [simulator = assert.fail()] = simulators.simulators
  await simulator.install('app_process', appProcess)
  address = simulator.address
  adbServer = await TestAdbServer.start(folder)
  await adbServer.connect(address)
})
after(async () => {
  await adbServer?.close()
  await simulators?.dispose()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const ways: Readonly<Record<string, () => string>> = {
  "Debian's adbd": () => address,
  "Debian's adb server": () => `adb:${address}@127.0.0.1:${adbServer.port}`,
}

async function inside(phone: Machine, script: string): Promise<string> {
  const { stdout } = await phone.exec({ executable: 'sh', args: ['-c', script] })
  return (await text(stdout)).trim()
}

for (const [way, device] of Object.entries(ways))
  test(`a phone is followed by video through ${way}, and its server is removed when nobody watches`, async t => {
    const reasons: string[] = []
    const server = new ScrcpyServer(Buffer.from('the server'))
    const engine = await AdbEngine.open({
      dataDir: await mkdtemp(join(folder, 'engine-')),
      pools: { rack: { devices: [device()], reset: 'none' } },
      video: { server, decoder: 'ffmpeg' },
      tell: line => reasons.push(line),
    })
    t.after(() => engine.close())
    const id = `t-${randomBytes(6).toString('hex')}`
    const spec = { id, image: 'rack', cpus: 1, memoryMiB: 512, pids: 256, diskMiB: 512 }
    const handle = await engine.create(spec)
    const machine = await engine.open(handle)
    const { configuration, units } = await encodeH264(pictures, screen)
    const packets = [videoPacket(configuration, true), ...units.map(unit => videoPacket(unit))]
    await machine.files.write('/tmp/film', Buffer.concat(packets))
    const left = 'pgrep -f [g]enymobile; ls /data/local/tmp/*.jar 2>/dev/null'

    const phone = machine.screen ?? assert.fail()
    const watcher = new TestWatcher(phone)
    const seen = watcher.sees(second)
    const unwatch = await watcher.watch()
    await seen
    assert.equal(server.version, '2.4')
    // The screen itself shows something else, which a capture reveals.
    await waitFor(async () => isSame(watcher.shown, (await phone.look()).frame))
    assert.deepEqual(reasons, [])
    assert.notEqual(await inside(machine, left), '')
    unwatch()
    await waitFor(async () => (await inside(machine, left)) === '')

    await watcher.watch()
    await waitFor(async () => (await inside(machine, left)) !== '')
    machine.close()
    const again = await engine.open(handle)
    await waitFor(async () => (await inside(again, left)) === '')
    await engine.destroy(handle)
  })
