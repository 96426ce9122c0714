import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { FakeAdbd } from '../packages/machines/src/engines/adb/test-fake-adbd.ts'
import { joinEngines } from '../packages/server/src/machines/join-engines.ts'
import { Catalogue } from '../packages/server/src/modules/shapes/catalogue.ts'
import { openPhones } from '../packages/server/src/phone-engines.ts'
import { readPhonePools, requirePools } from '../packages/server/src/phone-pools.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-phones-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const phone = await FakeAdbd.start()
cleanup.defer(() => phone.vanish())

const [pools, shapes] = [join(folder, 'phones.json'), join(folder, 'shapes.json')]
await writeFile(pools, JSON.stringify({ pools: { rack: { devices: [phone.address], reset: 'none' } } }))
const size = { engine: 'adb', image: 'rack', cpus: 1, memoryMiB: 64, diskMiB: 64 }
const pixel = { name: 'pixel', description: 'A phone.', os: 'Android', virtualization: 'Container', ...size }
await writeFile(shapes, JSON.stringify({ shapes: [pixel] }))

const service = await startTestService({ SANDGLASS_SHAPES: shapes }, async catalogue => {
  const phones = await openPhones(pools, folder, catalogue, () => {})
  return joinEngines(phones ? [phones] : [])
})
const create = (body: object = {}) => service.post('~/sandboxes', { shapeName: 'pixel', ...body })

test('a phone of a pool is a sandbox; when it vanishes the status says why, and nobody gets it until it is back', async () => {
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

  await service.delete(`~/sandboxes/${sandbox.id}`)
  await waitFor(async () => /is in quarantine since/.test((await create()).body.message ?? ''))
})

test('what a phone reaches cannot be chosen', async () => {
  const { status, body } = await create({ egress: 'none' })
  assert.deepEqual([status, body.code], [400, 'request.INVALID'])
})

test('the file of pools and the shape that docs/phones.md shows go together', async () => {
  const page = await readFile(new URL('../docs/phones.md', import.meta.url), 'utf8')
  const [shownPools = '', shownShape = ''] = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, json]) => json)
  const [poolsFile, shapesFile] = [join(folder, 'shown-phones.json'), join(folder, 'shown-shapes.json')]
  await writeFile(poolsFile, shownPools)
  await writeFile(shapesFile, `{"shapes": [${shownShape}]}`)
  requirePools((await Catalogue.load(shapesFile)).all(), await readPhonePools(poolsFile))
})
