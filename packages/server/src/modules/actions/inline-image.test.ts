import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import sharp from 'sharp'
import { makeSandbox } from '../../testing/make-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'
import { inlineImage } from './inline-image.ts'

const { service } = await startMachineService()

let id = ''
before(async () => {
  id = await makeSandbox(service)
})

const action = { type: 'screenshot' }
const post = (path: string, body?: object) => service.post(`~/sandboxes/${id}/${path}`, body)

test('the image in a response is the one that the URL leads to', async () => {
  const calls = [
    () => post('actions/execute', { action, includeImage: true }),
    () => post('actions/batch', { actions: [action], includeImage: true }),
    () => post('preview', { includeImage: true }),
  ]
  for (const call of calls) {
    const { body } = await call()
    const { mediaType, base64, ...size } = body.image
    assert.deepEqual([mediaType, size], ['image/webp', { width: 1280, height: 720 }])
    const fetched = Buffer.from(await (await fetch(body.screenShot)).arrayBuffer())
    assert.deepEqual(Buffer.from(base64, 'base64'), fetched)
  }
})

test('the image has the requested format, and needs no URL beside it', async () => {
  for (const format of ['png', 'jpeg'] as const) {
    const choice = { screenShotFormat: format, includeScreenShot: false, includeCursorPosition: false }
    const { body } = await post('actions/execute', { action, includeImage: true, ...choice })
    assert.equal(body.screenShot, undefined)
    assert.equal(body.image.mediaType, `image/${format}`)
    const found = await sharp(Buffer.from(body.image.base64, 'base64')).metadata()
    assert.deepEqual([found.format, found.width, found.height], [format, 1280, 720])
  }
})

test('a picture is scaled down to the requested size, and a smaller one is left as it is', async () => {
  const calls = (longestSide: number) => [
    post('actions/execute', { action, includeImage: true, longestSide }),
    post('actions/batch', { actions: [action], includeImage: true, longestSide }),
    post('preview', { includeImage: true, longestSide }),
  ]
  for (const [longestSide, size] of [
    [640, { width: 640, height: 360 }],
    [2000, { width: 1280, height: 720 }],
  ] as const)
    for (const { body } of await Promise.all(calls(longestSide))) {
      const { base64, width, height } = body.image
      const found = await sharp(Buffer.from(base64, 'base64')).metadata()
      assert.deepEqual([{ width, height }, found.width, found.height], [size, size.width, size.height])
    }
})

test('a response has no image unless it was requested', async () => {
  for (const { body } of [await post('actions/execute', { action }), await post('preview')])
    assert.deepEqual([body.image, typeof body.screenShot], [undefined, 'string'])
})

test('an image that cannot be encoded, or is too large, is reported beside the result', async () => {
  const size = { width: 1, height: 1 }
  const lost = await inlineImage({ bytes: () => Promise.reject(new Error('lost')) }, size)
  assert.equal(lost.imageError?.code, 'screenshot.FAILED')
  const body = Buffer.alloc(9 * 1024 * 1024)
  const large = await inlineImage({ bytes: async () => ({ type: 'image/png', body }) }, size)
  assert.deepEqual([large.image, large.imageError?.code], [undefined, 'screenshot.TOO_LARGE'])
})
