import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../../../testing/wait-for.ts'
import { decoders, fakePhone } from './test-fake-phone.ts'
import type { FakeScrcpy } from './test-fake-scrcpy.ts'
import { encodeH264, videoPacket } from './test-h264.ts'
import { isSame, picture } from './test-pictures.ts'

const size = { width: 360, height: 640 }
const at = (x: number, y: number) => ({ x, y, width: 100, height: 80 })
const first = picture(size, at(20, 30), [250, 20, 30])
const second = picture(size, at(200, 400), [10, 240, 40])
const clip = await encodeH264([first, second], size)
const strip = { width: 8208, height: 16 }
const absurd = await encodeH264([picture(strip, at(0, 0), [0, 0, 0])], strip)
const square = await encodeH264([first], { width: 400, height: 400 })

interface Failure {
  /** Called before anybody watches. */
  readonly before?: (phone: FakeScrcpy) => void
  /** Called when a client has connected to the server. */
  readonly connected?: (phone: FakeScrcpy) => void
  readonly reason: RegExp
}

const failures: Readonly<Record<string, Failure>> = {
  'has no app_process': {
    before: phone => {
      phone.startError = '/system/bin/sh: app_process: inaccessible or not found\n'
    },
    reason: /it printed "\/system\/bin\/sh: app_process: inaccessible or not found"/,
  },
  'has a server that exits without output': {
    before: phone => {
      phone.startError = ''
    },
    reason: /the scrcpy server ended without output/,
  },
  'has a server of an unsupported version': {
    before: phone => {
      phone.version = '9.1'
    },
    reason: /has version 9\.1, but only 1\.23 to 3\.3\.3 are supported/,
  },
  'has a server that refuses its own version': {
    before: phone => {
      phone.startError = 'ERROR: The server version (2.4) does not match the client (3.3.3)\n'
      phone.version = '2.4'
    },
    reason: /refuses its own version/,
  },
  'has an encoder that fails': {
    connected: phone => phone.endServer('[server] INFO: Device: fake\n[server] ERROR: No encoder\n'),
    reason: /it printed "\[server\] ERROR: No encoder"/,
  },
  'ends its video': {
    connected: phone => {
      phone.begin(clip)
      phone.endServer('[server] INFO: Device: fake\n')
    },
    reason: /its video ended/,
  },
  'ends its video in the middle of a packet': {
    connected: phone => phone.video?.end(videoPacket(clip.configuration, true).subarray(0, 20)),
    reason: /its video ended/,
  },
  'sends something other than packets': {
    connected: phone => phone.video?.write(Buffer.alloc(5000, 'HTTP/1.1 400 Bad Request')),
    reason: /a packet of its video has \d+ bytes/,
  },
  'sends an invalid configuration': {
    connected: phone => phone.video?.write(videoPacket(Buffer.alloc(50, 7), true)),
    reason: /its video is not H\.264/,
  },
  'sends invalid pictures': {
    connected: phone => {
      phone.begin(clip)
      phone.video?.write(videoPacket(Buffer.concat([Buffer.of(0, 0, 0, 1, 0x41), Buffer.alloc(3000, 0x37)])))
    },
    reason: /its video cannot be decoded/,
  },
  'sends far too many pictures': {
    connected: phone => {
      phone.begin(clip)
      for (let count = 0; count < 400; count++) phone.show(clip, 1)
    },
    reason: /its video (exceeds the rate limit|contains no pictures)/,
  },
  'declares a very large video': {
    connected: phone => phone.begin(absurd),
    reason: /its video claims a size of 8208x16/,
  },
  'sends a video of another shape than its screen': {
    connected: phone => phone.begin(square),
    reason: /its video is 400x400, but its screen is 360x640/,
  },
}

for (const [what, { before, connected, reason }] of Object.entries(failures))
  test(`a phone that ${what} is watched by captures, and the reason is reported once`, async t => {
    const { phone, watcher, reasons } = await fakePhone(t, first)
    before?.(phone)
    await watcher.watch()
    if (connected) {
      await waitFor(() => phone.video !== undefined)
      connected(phone)
    }
    await waitFor(() => reasons.length > 0)
    assert.match(reasons.join(), reason)
    assert.match(reasons.join(), /^The phone 127\.0\.0\.1:\d+ is watched by screencap for now: .*[^.]\.$/)
    phone.screen = second
    await waitFor(() => isSame(watcher.shown, second))
    await waitFor(() => phone.program?.isClosed ?? true)
    await waitFor(async () => (await decoders()) === 0)
    assert.equal(reasons.length, 1)
  })

test('without a decoder a phone is watched by captures', async t => {
  const { phone, watcher, reasons } = await fakePhone(t, first, '/no/such/ffmpeg')
  await watcher.watch()
  await waitFor(() => phone.video !== undefined)
  phone.begin(clip)
  await waitFor(() => reasons.length > 0)
  assert.match(reasons.join(), /\/no\/such\/ffmpeg does not run on this host/)
  phone.screen = second
  await waitFor(() => isSame(watcher.shown, second))
})
