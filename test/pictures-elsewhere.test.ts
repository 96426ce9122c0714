import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureOf, windows } from '@sandglass/workers/testing'
import { S3Server } from '../packages/server/src/testing/s3-server.ts'
import { startTestService, type TestService } from '../packages/server/src/testing/test-service.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()

/** Takes a picture on one process, and gives its URL on another. */
function taken(on: TestService, asked: TestService, seed: number): string {
  const { url } = on.service.pictures.keep(captureOf(windows(400, 300, seed)), { format: 'webp' })
  return asked.service.url + new URL(url).pathname
}

test('a picture on the disk of one process is fetched through any other, while that one lives', async () => {
  const a = await startTestService(env)
  const b = await startTestService(env)
  const url = taken(a, b, 1)
  const answer = await fetch(url)
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/webp'])
  const size = (await answer.arrayBuffer()).byteLength
  assert.equal(size, Number(answer.headers.get('content-length')))
  assert.match(answer.headers.get('cache-control') ?? '', /immutable/)
  const head = await fetch(url, { method: 'HEAD' })
  assert.deepEqual([head.status, Number(head.headers.get('content-length'))], [200, size])
  const etag = answer.headers.get('etag') ?? ''
  assert.equal((await fetch(url, { headers: { 'if-none-match': etag } })).status, 304)
  const png = await fetch(url, { headers: { accept: 'image/png' } })
  assert.equal(png.headers.get('content-type'), 'image/png')
  await png.arrayBuffer()

  const wrong = await b.get(new URL(url).pathname.replace('.webp', '.png'))
  assert.deepEqual([wrong.status, wrong.body.code], [404, 'screenshot.NOT_FOUND'])
  const nowhere = await b.get(new URL(url).pathname.replace(/-[0-9a-f]{12}-/, '-000000000000-'))
  assert.deepEqual([nowhere.status, nowhere.body.code], [404, 'screenshot.NOT_FOUND'])
  await a.service.close()
  const gone = await b.get(new URL(url).pathname)
  assert.deepEqual([gone.status, gone.body.code], [503, 'node.GONE'])
})

test('a picture in a bucket is fetched from any process, also when the one that took it is gone', async () => {
  const storage = await S3Server.start()
  const a = await startTestService({ ...env, ...storage.env })
  const b = await startTestService({ ...env, ...storage.env })
  const early = taken(a, b, 2)
  const waited = await fetch(early)
  assert.equal(waited.status, 200, 'from the bucket, or before it is there from the process that took it')
  const bytes = Buffer.from(await waited.arrayBuffer())
  await a.service.close()
  const kept = await fetch(early)
  assert.deepEqual([kept.status, kept.headers.get('content-type')], [200, 'image/webp'])
  assert.ok(Buffer.from(await kept.arrayBuffer()).equals(bytes))
  const png = await fetch(early, { headers: { accept: 'image/png' } })
  assert.deepEqual([png.status, png.headers.get('content-type')], [200, 'image/png'])
  await png.arrayBuffer()

  await storage.stop()
  const unavailable = await b.get(new URL(early).pathname)
  assert.deepEqual([unavailable.status, unavailable.body.code], [503, 'service.UNAVAILABLE'])
})
