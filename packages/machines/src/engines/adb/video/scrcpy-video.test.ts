import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../../../testing/wait-for.ts'
import { decoders, fakePhone } from './test-fake-phone.ts'
import { encodeH264 } from './test-h264.ts'
import { isSame, picture } from './test-pictures.ts'

/** Not a multiple of 8, to which a server rounds it. */
const portrait = { width: 362, height: 646 }
const landscape = { width: 646, height: 362 }
const at = (x: number, y: number) => ({ x, y, width: 100, height: 80 })
const first = picture(portrait, at(20, 30), [250, 20, 30])
const second = picture(portrait, at(200, 400), [10, 240, 40])
const third = picture(portrait, at(100, 200), [20, 30, 250])
const clip = await encodeH264([first, second, third], { width: 360, height: 640 })
const rotated = picture(landscape, at(20, 30), [250, 20, 30])
const rotatedSecond = picture(landscape, at(400, 200), [10, 240, 40])
const rotatedClip = await encodeH264([rotated, rotatedSecond, rotated], { width: 640, height: 360 })

type Phone = Awaited<ReturnType<typeof fakePhone>>

/** Waits for the second picture of the video, which no capture shows. */
async function untilVideoShown({ phone, watcher }: Phone): Promise<void> {
  await waitFor(() => phone.video !== undefined)
  const seen = watcher.sees(second)
  phone.begin(clip)
  phone.show(clip, 1)
  await seen
}

test('a watched phone is followed by video, and becomes exact when the video is quiet', async t => {
  const fake = await fakePhone(t, first)
  const { phone, watcher, reasons } = fake
  await watcher.watch()
  await untilVideoShown(fake)
  const seen = watcher.sees(third)
  phone.show(clip, 2)
  await seen
  phone.screen = third
  await waitFor(() => isSame(watcher.shown, third))
  assert.deepEqual(reasons, [])
})

test('the server is copied to the phone, and does nothing but stream video', async t => {
  const { phone, watcher, serverFile } = await fakePhone(t, first)
  await watcher.watch()
  await waitFor(() => phone.video !== undefined)
  const [path, content] = [...phone.sync.files][0] ?? assert.fail()
  assert.deepEqual(content, serverFile)
  assert.match(path, /^\/data\/local\/tmp\/sandglass-\w+\.jar$/)
  const [started = ''] = phone.started
  const words = ['audio=false', 'control=false', 'max_fps=30', 'cleanup=false', 'tunnel_forward=true']
  for (const word of [`CLASSPATH=${path}`, ...words])
    assert.ok(started.includes(word), `${word} in ${started}`)
})

test('a rotated screen is followed, whether the video or a capture shows it first', async t => {
  const fake = await fakePhone(t, first)
  const { phone, watcher, reasons } = fake
  await watcher.watch()
  await untilVideoShown(fake)
  phone.screen = rotated
  const seen = watcher.sees(rotatedSecond)
  phone.begin(rotatedClip)
  phone.show(rotatedClip, 1)
  await seen
  await waitFor(() => isSame(watcher.shown, rotated))

  phone.screen = first
  phone.show(rotatedClip, 2)
  await waitFor(() => isSame(watcher.shown, first))
  await untilVideoShown(fake)
  assert.deepEqual(reasons, [])
})

test('nothing runs on the phone or on the host while nobody watches', async t => {
  const fake = await fakePhone(t, first)
  const { phone, watcher, machine } = fake
  const unwatch = await watcher.watch()
  const unwatchToo = await watcher.watch()
  await untilVideoShown(fake)
  unwatch()
  const seen = watcher.sees(third)
  phone.show(clip, 2)
  await seen
  const { video, program } = phone
  unwatchToo()
  await waitFor(() => video?.isClosed === true && program?.isClosed === true)
  await waitFor(async () => (await decoders()) === 0)

  await watcher.watch()
  await waitFor(() => phone.started.length === 2)
  await untilVideoShown(fake)
  machine.close()
  await waitFor(async () => phone.video?.isClosed === true && (await decoders()) === 0)
})

for (const version of ['1.25', '2.4'])
  test(`a server of version ${version} is detected and started with its options`, async t => {
    const fake = await fakePhone(t, first)
    const { phone, watcher, reasons, server } = fake
    phone.version = version
    await watcher.watch()
    await untilVideoShown(fake)
    assert.deepEqual(
      phone.started.map(line => /Server (\S+)/.exec(line)?.[1]),
      ['3.3.3', version],
    )
    assert.deepEqual(reasons, [])
    // The next phone starts with this version.
    assert.equal(server.version, version)
  })
