import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import type { Machine } from '../../../contract/machine.ts'
import { buildImage } from '../../../images/index.ts'
import { AdbPhone } from '../../../screens/adb/adb-phone.ts'
import { linkOver } from '../../../screens/adb/device.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { type TestEngine, testEngine, testSpec } from '../../local/test-engine.ts'
import { ScrcpyServer } from './scrcpy-server.ts'
import { ScrcpyVideo } from './scrcpy-video.ts'
import { Eye } from './test-eye.ts'
import { encodeH264, videoPacket } from './test-h264.ts'
import { isSame, picture } from './test-pictures.ts'

const screen = { width: 720, height: 1280 }

let engine: TestEngine
let machine: Machine
before(async () => {
  engine = await testEngine()
  await buildImage('phone', { imagesDir: engine.options.imagesDir ?? assert.fail() })
  const local = engine.open()
  machine = await local.open(await local.create(testSpec({ image: 'phone', memoryMiB: 1024, screen })))
})
after(async () => {
  machine?.close()
  await engine?.dispose()
})

/** Stands in for Android's: it runs the scrcpy server, which it finds in CLASSPATH, and is that of a film that it shows at once. */
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

async function inside(script: string): Promise<string> {
  const process = await machine.exec({ executable: 'sh', args: ['-c', script] })
  return (await text(process.stdout)).trim()
}

test("a phone with Debian's adbd is followed by the video of a server, which is gone when nobody watches or the connection is", async t => {
  const whole = { x: 0, y: 0, ...screen }
  const pictures = [picture(screen, whole, [250, 20, 30]), picture(screen, whole, [10, 240, 40])]
  const [, second = assert.fail()] = pictures
  const { configuration, units } = await encodeH264(pictures, screen)
  const packets = [videoPacket(configuration, true), ...units.map(unit => videoPacket(unit))]
  await machine.files.write('/tmp/film', Buffer.concat(packets))
  const options = { user: 'root', mode: 0o755 }
  await machine.files.write('/usr/local/bin/app_process', Buffer.from(appProcess), options)

  const reasons: string[] = []
  const server = new ScrcpyServer(Buffer.from('the server'))
  const video = new ScrcpyVideo({ server, decoder: 'ffmpeg' }, 'test', reason => reasons.push(reason))
  const phone = new AdbPhone(
    linkOver(() => machine.dial('tcp:127.0.0.1:5555')),
    video,
  )
  t.after(() => phone.screen.close())
  const eye = new Eye(phone.screen)
  const seen = eye.sees(second)
  const unwatch = await eye.watch()
  await seen
  assert.equal(server.version, '2.4')
  // What the screen itself shows is something else, and a capture says so.
  await waitFor(async () => isSame(eye.shown, (await phone.screen.look()).frame))
  assert.deepEqual(reasons, [])
  const programs = () => inside('pgrep -f [g]enymobile')
  assert.notEqual(await programs(), '')
  assert.equal(await inside('ls /data/local/tmp/*.jar 2>/dev/null'), '')
  unwatch()
  await waitFor(async () => (await programs()) === '')

  await eye.watch()
  await waitFor(async () => (await programs()) !== '')
  phone.screen.close()
  await waitFor(async () => (await programs()) === '')
})
