import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Frame } from '@sandglass/machines/contract'
import { waitFor } from '@sandglass/machines/testing'
import { SameProcess } from '@sandglass/workers'
import { captureOf } from '@sandglass/workers/testing'
import pino from 'pino'
import { Registry } from 'prom-client'
import { cleanup } from '../testing/cleanup.ts'
import { makeSandbox } from '../testing/make-sandbox.ts'
import { startMachineService } from '../testing/test-machines.ts'
import { DiskStore } from './disk-store.ts'
import { parsePictureId } from './picture-id.ts'
import { PictureMetrics } from './picture-metrics.ts'
import type { PictureOwner } from './picture-owner.ts'
import { Pictures } from './pictures.ts'

/** A screen that cannot be compressed, so that its PNG has some 300 KB. */
function noise(): Frame {
  const pixels = new Uint8Array(randomBytes(400 * 200 * 4))
  return { width: 400, height: 200, pixels, pointer: { x: 0, y: 0, image: undefined } }
}

const take = async (pictures: Pictures, owner: PictureOwner) => {
  const picture = pictures.keep(captureOf(noise(), { format: 'png', pointer: false }), {
    format: 'png',
    owner,
  })
  await picture.stored
  return picture
}

const statusOf = async (url: string) => {
  const answer = await fetch(url)
  await answer.arrayBuffer()
  return answer.status
}

test('a sandbox keeps as many screenshots as fit, and none after its deletion', async () => {
  const { service } = await startMachineService({ env: { SANDGLASS_SCREENSHOTS_PER_SANDBOX: '1' } })
  const { pictures } = service.service
  const orgId = 'organization'
  const [greedy, modest] = [await makeSandbox(service), await makeSandbox(service)]
  const kept = await take(pictures, { orgId, sandboxId: modest })
  const taken = []
  for (let i = 0; i < 8; i++) taken.push(await take(pictures, { orgId, sandboxId: greedy }))
  const statuses = await Promise.all(taken.map(({ url }) => statusOf(url)))
  assert.deepEqual(statuses.slice(0, 4), [404, 404, 404, 404])
  assert.equal(statuses.at(-1), 200)
  assert.deepEqual([taken[0]?.isEvicted, taken.at(-1)?.isEvicted], [true, false])
  assert.equal(await statusOf(kept.url), 200)

  const look = { action: { type: 'screenshot' }, settle: 'none' }
  const { screenShot } = (await service.post(`~/sandboxes/${greedy}/actions/execute`, look)).body
  assert.equal(await statusOf(screenShot), 200)
  await service.remove(`~/sandboxes/${greedy}`)
  for (const url of [screenShot, taken.at(-1)?.url ?? ''])
    await waitFor(async () => (await statusOf(url)) === 404)
  assert.equal(await statusOf(kept.url), 200)
})

test('screenshots from before a restart count, and make space for the next ones', async () => {
  const root = await mkdtemp(join(tmpdir(), 'sandglass-pictures-'))
  cleanup.defer(() => rm(root, { recursive: true, force: true }))
  const open = async () =>
    new Pictures({
      store: await DiskStore.open(root),
      nodeId: 'here',
      lifeMs: 60_000,
      limits: { sandboxBytes: 1e9, organizationBytes: 1e6, nodeBytes: 1e9 },
      publicUrl: () => 'http://localhost',
      metrics: new PictureMetrics(new Registry()),
      converter: new SameProcess(() => {}),
      log: pino({ enabled: false }),
    })
  const before = await open()
  const owner = { orgId: 'organization', sandboxId: 'sandbox' }
  const old = await take(before, owner)
  await before.close()

  const after = await open()
  const id = parsePictureId(new URL(old.url).pathname.replace(/^\/screenshots\/|\.png$/g, ''))
  assert.ok(id)
  assert.ok(await after.find(id))
  for (let i = 0; i < 4; i++) await take(after, { ...owner, sandboxId: `sandbox-${i}` })
  assert.equal(await after.find(id), undefined)
  await after.close()
})
