import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import type { Frame } from '@sandglass/machines/contract'
import { SameProcess } from '@sandglass/workers'
import type { CaptureChoice } from '@sandglass/workers/contract'
import { captureOf, gradient, windows } from '@sandglass/workers/testing'
import pino from 'pino'
import { Registry } from 'prom-client'
import sharp from 'sharp'
import { startTestService, type TestService } from '../testing/test-service.ts'
import { PictureMetrics } from './picture-metrics.ts'
import { Pictures } from './pictures.ts'

const workers: Worker[] = []
process.on('worker', worker => workers.push(worker))
const service = await startTestService()
const { pictures } = service.service

const keep = (frame: Frame, { format = 'webp', ...choice }: Partial<CaptureChoice> = {}) =>
  pictures.keep(captureOf(frame, { format, ...choice }), { format })

async function pixelsOf(response: Response): Promise<Buffer> {
  assert.equal(response.status, 200)
  return sharp(await response.arrayBuffer())
    .removeAlpha()
    .raw()
    .toBuffer()
}

const rgbOf = ({ pixels }: Frame) => Buffer.from(pixels.filter((_, at) => at % 4 !== 3))

/** Returns the files of a folder inside the screenshots folder of a service. */
async function files(folder: string, of: TestService = service): Promise<string[]> {
  const root = join(of.folder, 'screenshots', folder)
  const found = await readdir(root, { recursive: true, withFileTypes: true })
  return found.filter(one => one.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

test('a picture is fetched by its URL alone, and never changes', async () => {
  const frame = windows(300, 200, 1)
  const expected = rgbOf(frame)
  const { url } = keep(frame)
  assert.match(url, new RegExp(`^${service.service.url}/screenshots/[\\w-]{44}\\.webp$`))
  const response = await fetch(url)
  const header = (name: string) => response.headers.get(name)
  assert.equal(header('content-type'), 'image/webp')
  assert.match(header('cache-control') ?? '', /^public, max-age=(86[34]\d\d), immutable$/)
  assert.equal(header('vary'), 'Accept')
  assert.equal(header('x-content-type-options'), 'nosniff')
  assert.equal(header('access-control-allow-origin'), '*')
  assert.ok((await pixelsOf(response)).equals(expected))
})

test('the pointer is in the picture unless the options exclude it', async () => {
  const image = { width: 1, height: 1, hotspot: { x: 0, y: 0 }, rgba: new Uint8Array([1, 2, 3, 255]) }
  const shown = () => ({ ...windows(60, 40), pointer: { x: 5, y: 7, image } })
  const at = (7 * 60 + 5) * 3
  const drawn = await pixelsOf(await fetch(keep(shown()).url))
  assert.deepEqual([...drawn.subarray(at, at + 3)], [1, 2, 3])
  const plain = await pixelsOf(await fetch(keep(shown(), { pointer: false }).url))
  assert.ok(plain.equals(rgbOf(windows(60, 40))))
})

test('a GET waits for a picture that is still being encoded', async () => {
  const frames = Array.from({ length: 12 }, (_, seed) => windows(640, 480, seed + 50))
  const urls = frames.map(frame => keep(frame).url)
  const answers = await Promise.all(urls.map(url => fetch(url)))
  assert.deepEqual(
    answers.map(({ status }) => status),
    urls.map(() => 200),
  )
  await Promise.all(answers.map(answer => answer.arrayBuffer()))
})

test('equal pixels are stored once with one ETag, and a client that has them gets a 304', async () => {
  const first = keep(windows(100, 80, 7))
  await first.stored
  const before = (await files('objects')).length
  const second = keep(windows(100, 80, 7))
  await second.stored
  assert.notEqual(first.url, second.url)
  assert.equal((await files('objects')).length, before)
  const [one, other] = [await fetch(first.url), await fetch(second.url)]
  const etag = one.headers.get('etag') ?? ''
  assert.match(etag, /^"[0-9a-f]{64}\.webp"$/)
  assert.equal(other.headers.get('etag'), etag)
  const [file] = (await files('objects')).filter(path => path.includes(etag.slice(1, -1)))
  assert.equal((await stat(file ?? '')).nlink, 3)

  for (const known of [etag, `"x", W/${etag}`, '*']) {
    const unchanged = await fetch(first.url, { headers: { 'if-none-match': known } })
    assert.deepEqual([unchanged.status, await unchanged.text()], [304, ''])
    assert.equal(unchanged.headers.get('etag'), etag)
  }
  const length = Number(one.headers.get('content-length'))
  assert.equal((await one.arrayBuffer()).byteLength, length)
  const head = await fetch(first.url, { method: 'HEAD' })
  assert.equal(Number(head.headers.get('content-length')), length)
  assert.equal(head.headers.get('content-type'), 'image/webp')
  await other.arrayBuffer()
})

test('Accept selects another format, which is created once and has the pixels of the picture', async () => {
  const { url } = keep(gradient(200, 120))
  const own = await pixelsOf(await fetch(url))
  const png = async () => fetch(url, { headers: { accept: 'image/png, image/*;q=0.5' } })
  const [one, other] = await Promise.all([png(), png()])
  assert.equal(one.headers.get('content-type'), 'image/png')
  assert.match(one.headers.get('etag') ?? '', /^"[0-9a-f]{64}\.webp\.png"$/)
  assert.ok((await pixelsOf(one)).equals(own))
  assert.ok((await pixelsOf(other)).equals(own))
  const made = (await files('objects')).filter(path => path.endsWith('.webp.png'))
  assert.equal(made.length, 1)
  const { mtimeMs } = await stat(made[0] ?? '')
  assert.ok((await pixelsOf(await png())).equals(own))
  assert.equal((await stat(made[0] ?? '')).mtimeMs, mtimeMs)

  const jpeg = await fetch(url, { headers: { accept: 'image/jpeg' } })
  assert.equal(jpeg.headers.get('content-type'), 'image/jpeg')
  assert.equal((await sharp(await jpeg.arrayBuffer()).metadata()).format, 'jpeg')
})

for (const format of ['png', 'jpeg'] as const)
  test(`a picture can be taken as ${format}`, async () => {
    const frame = windows(100, 80, 3)
    const expected = rgbOf(frame)
    const picture = keep(frame, { format })
    assert.ok(picture.url.endsWith(`.${format}`))
    const { type, body } = await picture.bytes()
    const response = await fetch(picture.url)
    assert.equal(response.headers.get('content-type'), type)
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(body))
    if (format === 'png') assert.ok((await sharp(body).raw().toBuffer()).equals(expected))
  })

test('a waiting caller gets a picture before it is stored, and an error if it could not be stored', async () => {
  const storing = Promise.withResolvers<void>()
  const nothing = async () => undefined
  const own = new Pictures({
    store: {
      link: async () => false,
      delete: nothing,
      linked: async function* () {},
      put: () => storing.promise,
      find: nothing,
      open: nothing,
      sweep: nothing,
      hasSpace: async () => true,
    },
    nodeId: 'here',
    lifeMs: 60_000,
    limits: { sandboxBytes: 1e6, organizationBytes: 1e6, nodeBytes: 1e6 },
    publicUrl: () => 'http://localhost',
    metrics: new PictureMetrics(new Registry()),
    converter: new SameProcess(() => {}),
    log: pino({ enabled: false }),
  })
  const frame = windows(90, 70, 21)
  const expected = rgbOf(frame)
  const picture = own.keep(captureOf(frame, { format: 'png', pointer: false }), { format: 'png' })
  const { body } = await picture.bytes()
  assert.ok((await sharp(body).raw().toBuffer()).equals(expected))
  storing.reject(new Error('the disk is full'))
  await assert.rejects(picture.stored, /full/)
  await assert.rejects(picture.bytes(), { code: 'screenshot.FAILED' })
  await own.close()
})

test('unknown pictures get a 404', async () => {
  const { url, stored } = keep(windows(50, 50))
  await stored
  const path = new URL(url).pathname
  const later = path.replace(/\/screenshots\/./, '/screenshots/z')
  const wrong = [
    path.replace('.webp', '.png'),
    path.replace('.webp', '.gif'),
    path.replace('.webp', ''),
    later,
    path.replace(/.{3}\.webp/, 'AAA.webp'),
    '/screenshots/x.webp',
    '/screenshots/.webp',
    '/screenshots/..%2f..%2fnode-id',
    '/screenshots/%00.png',
  ]
  for (const each of wrong) {
    const { status, body, headers } = await service.get(each, { key: null })
    assert.deepEqual([each, status, body.code], [each, 404, 'screenshot.NOT_FOUND'])
    assert.equal(headers.get('cache-control'), 'no-store')
  }
  assert.equal((await service.post(path, {})).body.code, 'route.METHOD_NOT_ALLOWED')
})

test('a frame that cannot be encoded fails without affecting others', async () => {
  const corrupt = keep({ ...windows(100, 100), width: 101 })
  const waiting = await service.get(new URL(corrupt.url).pathname)
  assert.deepEqual([waiting.status, waiting.body.code], [500, 'screenshot.FAILED'])
  await assert.rejects(corrupt.stored, /101x100/)
  assert.equal((await service.get(new URL(corrupt.url).pathname)).body.code, 'screenshot.FAILED')
  assert.equal((await fetch(keep(windows(100, 100, 9)).url)).status, 200)
})

test('a worker that crashes fails only its own picture', async () => {
  const pending = Array.from({ length: 8 }, (_, seed) => keep(windows(1600, 1200, seed + 100)))
  // Requesting the bytes makes the encoding start at once.
  for (const { bytes } of pending) bytes().catch(() => {})
  await setImmediate()
  const terminated = workers.splice(0)
  await Promise.all(terminated.map(worker => worker.terminate()))
  const outcomes = await Promise.allSettled(pending.map(({ stored }) => stored))
  const failed = outcomes.filter(({ status }) => status === 'rejected').length
  assert.ok(failed > 0 && failed <= terminated.length, `${failed} of ${pending.length} failed`)
  assert.equal((await fetch(keep(windows(100, 100, 10)).url)).status, 200)
})

test('metrics count pictures', async () => {
  await keep(windows(100, 100, 11)).stored
  const { text } = await service.operator('GET', '/metrics')
  assert.match(text, /sandglass_picture_encode_seconds_count\{format="webp"\} [1-9]/)
  assert.match(text, /sandglass_picture_bytes_total\{format="webp"\} [1-9]/)
  assert.match(text, /sandglass_pictures_total\{outcome="failed"\} [1-9]/)
  assert.match(text, /sandglass_pictures_under_way 0\n/)
})

test('a picture expires and is then deleted', async t => {
  const shortLived = await startTestService()
  const { pictures } = shortLived.service
  const { url, stored } = pictures.keep(captureOf(windows(80, 80)), { format: 'webp' })
  await stored
  const alive = await fetch(url)
  assert.equal(alive.status, 200)
  await alive.arrayBuffer()
  const hourMs = 3_600_000
  const afterHours = (hours: number) => t.mock.method(pictures, 'now', () => Date.now() + hours * hourMs)
  afterHours(23)
  assert.equal((await fetch(url, { method: 'HEAD' })).status, 200)
  afterHours(24)
  assert.equal((await shortLived.get(new URL(url).pathname)).body?.code, 'screenshot.NOT_FOUND')
  await pictures.sweep()
  assert.deepEqual([await files('links', shortLived), await files('objects', shortLived)], [[], []])
})

test('a stop finishes pending pictures, and they exist after the next start', async () => {
  const before = await startTestService()
  const paths = Array.from({ length: 6 }, (_, seed) => {
    const { url } = before.service.pictures.keep(captureOf(windows(320, 240, seed), { format: 'png' }), {
      format: 'png',
    })
    return new URL(url).pathname
  })
  await before.service.close()
  const after = await startTestService({ SANDGLASS_DATA: before.folder })
  for (const path of paths)
    assert.equal((await fetch(after.service.url + path, { method: 'HEAD' })).status, 200)
})
