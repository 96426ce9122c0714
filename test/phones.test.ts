import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { FakeAdbd } from '../packages/machines/src/engines/adb/test-fake-adbd.ts'
import { readPhonePools, requirePools } from '../packages/server/src/engines/adb/phone-pools.ts'
import { Catalogue } from '../packages/server/src/modules/shapes/catalogue.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { startPhoneService } from './support/phone-service.ts'

const phone = await FakeAdbd.start()
cleanup.defer(() => phone.vanish())
const service = await startPhoneService([phone.address])
const create = (body: object = {}) => service.post('~/sandboxes', { shapeName: 'pixel', ...body })

test('a phone of a pool is a sandbox; when it vanishes the status says why, and nobody gets it until it returns', async () => {
  const sandbox = { id: await makeSandbox(service, { shapeName: 'pixel' }) }

  const second = await create()
  assert.deepEqual([second.status, second.body.code], [503, 'machine.NOT_READY'])
  assert.match(second.body.message, /No phone of the pool rack is free: 1 of 1 are in use/)
  const paused = await service.post(`~/sandboxes/${sandbox.id}/pause`)
  assert.equal(paused.status, 409, paused.text)

  await phone.vanish()
  const status = async () => (await service.get(`~/sandboxes/${sandbox.id}/status`)).body
  await waitFor(async () => (await status()).status !== 'RUNNING')
  const { sandbox: seen } = (await service.get(`~/sandboxes/${sandbox.id}`)).body
  assert.match(seen.reason, new RegExp(`^The device ${phone.address} is gone`))

  await service.remove(`~/sandboxes/${sandbox.id}`)
  await waitFor(async () => /is in quarantine since/.test((await create()).body.message ?? ''))
})

test('the network access of a phone cannot be configured', async () => {
  const { status, body } = await create({ egress: 'none' })
  assert.deepEqual([status, body.code], [400, 'request.INVALID'])
})

test('the pool file and the shape in docs/phones.md match', async () => {
  const page = await readFile(new URL('../docs/phones.md', import.meta.url), 'utf8')
  const [shownPools = '', shownShape = ''] = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, json]) => json)
  const [poolsFile, shapesFile] = [
    join(service.folder, 'shown-phones.json'),
    join(service.folder, 'shown-shapes.json'),
  ]
  await writeFile(poolsFile, shownPools)
  await writeFile(shapesFile, `{"shapes": [${shownShape}]}`)
  requirePools((await Catalogue.load(shapesFile)).all(), await readPhonePools(poolsFile))
})
