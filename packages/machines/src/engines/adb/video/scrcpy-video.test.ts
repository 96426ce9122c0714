import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../../../testing/wait-for.ts'
import { decoders, fakePhone } from './test-fake-phone.ts'
import { encodeH264 } from './test-h264.ts'
import { isSame, picture } from './test-pictures.ts'

/** No multiple of 8, which a server makes of it. */
const portrait = { width: 362, height: 646 }
const landscape = { width: 646, height: 362 }
const at = (x: number, y: number) => ({ x, y, width: 100, height: 80 })
const first = picture(portrait, at(20, 30), [250, 20, 30])
const second = picture(portrait, at(200, 400), [10, 240, 40])
const third = picture(portrait, at(100, 200), [20, 30, 250])
const film = await encodeH264([first, second, third], { width: 360, height: 640 })
const turned = picture(landscape, at(20, 30), [250, 20, 30])
const turnedOn = picture(landscape, at(400, 200), [10, 240, 40])
const turnedFilm = await encodeH264([turned, turnedOn, turned], { width: 640, height: 360 })

type Phone = Awaited<ReturnType<typeof fakePhone>>

/** Until it has shown the second picture of the film, which no capture shows. */
async function untilFilmed({ phone, eye }: Phone): Promise<void> {
  await waitFor(() => phone.video !== undefined)
  const seen = eye.sees(second)
  phone.begin(film)
  phone.show(film, 1)
  await seen
}

test('a phone that is watched is followed by video, and made exact when that is quiet', async t => {
  const fake = await fakePhone(t, first)
  const { phone, eye, reasons } = fake
  await eye.watch()
  await untilFilmed(fake)
  const seen = eye.sees(third)
  phone.show(film, 2)
  await seen
  phone.screen = third
  await waitFor(() => isSame(eye.shown, third))
  assert.deepEqual(reasons, [])
})

test('the server is brought to the phone, and films and does nothing else', async t => {
  const { phone, eye, serverFile } = await fakePhone(t, first)
  await eye.watch()
  await waitFor(() => phone.video !== undefined)
  const [path, content] = [...phone.sync.files][0] ?? assert.fail()
  assert.deepEqual(content, serverFile)
  assert.match(path, /^\/data\/local\/tmp\/sandglass-\w+\.jar$/)
  const [started = ''] = phone.started
  const words = ['audio=false', 'control=false', 'max_fps=30', 'cleanup=false', 'tunnel_forward=true']
  for (const word of [`CLASSPATH=${path}`, ...words])
    assert.ok(started.includes(word), `${word} in ${started}`)
})

test('a screen that is turned is followed, whether its video or a capture tells it first', async t => {
  const fake = await fakePhone(t, first)
  const { phone, eye, reasons } = fake
  await eye.watch()
  await untilFilmed(fake)
  phone.screen = turned
  const seen = eye.sees(turnedOn)
  phone.begin(turnedFilm)
  phone.show(turnedFilm, 1)
  await seen
  await waitFor(() => isSame(eye.shown, turned))

  phone.screen = first
  phone.show(turnedFilm, 2)
  await waitFor(() => isSame(eye.shown, first))
  await untilFilmed(fake)
  assert.deepEqual(reasons, [])
})

test('when nobody watches any more nothing runs, on the phone or here, until somebody does again', async t => {
  const fake = await fakePhone(t, first)
  const { phone, eye, machine } = fake
  const unwatch = await eye.watch()
  const unwatchToo = await eye.watch()
  await untilFilmed(fake)
  unwatch()
  const seen = eye.sees(third)
  phone.show(film, 2)
  await seen
  const { video, program } = phone
  unwatchToo()
  await waitFor(() => video?.isClosed === true && program?.isClosed === true)
  await waitFor(async () => (await decoders()) === 0)

  await eye.watch()
  await waitFor(() => phone.started.length === 2)
  await untilFilmed(fake)
  machine.close()
  await waitFor(async () => phone.video?.isClosed === true && (await decoders()) === 0)
})

for (const version of ['1.25', '2.4'])
  test(`a server of version ${version} says that it is, and is started as one`, async t => {
    const fake = await fakePhone(t, first)
    const { phone, eye, reasons, server } = fake
    phone.version = version
    await eye.watch()
    await untilFilmed(fake)
    assert.deepEqual(
      phone.started.map(line => /Server (\S+)/.exec(line)?.[1]),
      ['3.3.3', version],
    )
    assert.deepEqual(reasons, [])
    // The next phone is asked for that at once.
    assert.equal(server.version, version)
  })
