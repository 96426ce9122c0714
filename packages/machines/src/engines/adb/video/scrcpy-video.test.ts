import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../../../testing/wait-for.ts'
import { decoders, fakePhone } from './test-fake-phone.ts'
import { encodeH264 } from './test-h264.ts'
import { isSame, looksLike, picture } from './test-pictures.ts'

/** No multiple of 8: the server makes 360x640 of it. */
const screenSize = { width: 362, height: 646 }
const videoSize = { width: 360, height: 640 }
const at = (x: number, y: number) => ({ x, y, width: 100, height: 80 })
const first = picture(screenSize, at(20, 30), [250, 20, 30])
const second = picture(screenSize, at(200, 400), [10, 240, 40])
const third = picture(screenSize, at(100, 200), [20, 30, 250])
const film = await encodeH264([first, second, third], videoSize)

test('a phone that is watched is followed by video, and made exact when that is quiet', async t => {
  const { phone, eye, reasons, serverFile } = await fakePhone(t, first)
  await eye.watch()
  await waitFor(() => phone.video !== undefined)
  const [path, content] = [...phone.sync.files][0] ?? assert.fail()
  assert.deepEqual(content, serverFile)
  assert.match(path, /^\/data\/local\/tmp\/sandglass-\w+\.jar$/)
  await waitFor(() => phone.commands.includes(`rm -f ${path}`))
  const [started = ''] = phone.started
  for (const word of ['audio=false', 'control=false', 'max_fps=30', 'cleanup=false', 'tunnel_forward=true'])
    assert.ok(started.includes(word), `${word} in ${started}`)

  phone.begin(film)
  await waitFor(async () => (await decoders()) === 1)
  // While no capture comes, whatever is shown is by video.
  phone.holdCaptures()
  phone.screen = second
  phone.show(film, 1)
  await waitFor(() => looksLike(eye.shown, second))
  assert.ok(!isSame(eye.shown, second))
  phone.screen = third
  phone.show(film, 2)
  await waitFor(() => looksLike(eye.shown, third))
  phone.releaseCaptures()
  await waitFor(() => isSame(eye.shown, third))
  assert.deepEqual(reasons, [])
})
