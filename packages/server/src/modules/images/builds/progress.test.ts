import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BaseImageBuild } from '@sandglass/machines/contract'
import { waitFor } from '@sandglass/machines/testing'
import { ImageBuild } from '@sandglass/protocol'
import { z } from 'zod'
import { beginBuild, build, eventsOf } from '../../../testing/build-image.ts'
import { startMachineService } from '../../../testing/test-machines.ts'

const imageBuilds = new Map<string, BaseImageBuild>()
const { service } = await startMachineService({ imageBuilds, env: { SANDGLASS_NODE_LEASE: '3' } })
const from = { shapeName: 'small' }

async function listed(): Promise<ImageBuild[]> {
  const { status, body, text } = await service.operator('GET', '/api/operator/image-builds')
  assert.equal(status, 200, text)
  return z.array(ImageBuild).parse(body)
}

test('operators see how far the builds of organizations are, and why they failed', async () => {
  const steps = [{ run: 'true' }, { run: 'sleep 1000' }]
  const abort = new AbortController()
  const events = eventsOf(await beginBuild(service, { from, steps, name: 'slow' }, abort.signal))
  // To leave a loop over the events would disconnect, which cancels the build.
  for (let step = -1; step < 1; ) {
    const { value } = await events.next()
    if (value?.event === 'step') step = value.step
  }
  await waitFor(async () => (await listed())[0]?.progress?.done === 1)
  const [running] = await listed()
  assert.ok(running)
  const [node] = (await service.operator('GET', '/api/operator/nodes')).body
  assert.deepEqual(running, {
    image: 'slow',
    kind: 'build',
    imageId: running.imageId,
    organizationId: service.orgId,
    nodeId: node.id,
    state: 'building',
    progress: { done: 1, total: 2, text: 'Running a script' },
    startedAt: running.startedAt,
    endedAt: null,
    reason: null,
  })
  abort.abort()
  await waitFor(async () => (await listed())[0]?.state === 'failed')
  const [failed] = await listed()
  assert.match(failed?.reason ?? '', /The caller disconnected/)
  assert.ok(failed?.endedAt)
  assert.deepEqual([failed?.progress, failed?.nodeId], [null, null])

  await build(service, { from, steps: [{ run: 'true' }], name: 'quick' })
  assert.deepEqual(
    (await listed()).map(({ image, state }) => [image, state]),
    [
      ['quick', 'ready'],
      ['slow', 'failed'],
    ],
  )
})

test('operators see what nodes build for their shapes', async () => {
  const startedAt = new Date().toISOString()
  imageBuilds.set('desktop', { image: 'desktop', state: 'building', startedAt, activity: 'Unpacking fonts' })
  imageBuilds.set('phone', { image: 'phone', state: 'waiting' })
  await waitFor(async () => (await listed()).some(({ kind }) => kind === 'base'))
  const base = (await listed()).filter(({ kind }) => kind === 'base')
  assert.deepEqual(
    base.map(({ image, state, progress, organizationId }) => [image, state, progress?.text, organizationId]),
    [
      ['phone', 'waiting', undefined, null],
      ['desktop', 'building', 'Unpacking fonts', null],
    ],
  )
  imageBuilds.set('desktop', { image: 'desktop', state: 'failed', startedAt, reason: 'The mirror is away.' })
  await waitFor(async () => (await listed()).some(({ reason }) => reason === 'The mirror is away.'))
})

test('only operators see them', async () => {
  const refused = await service.get('/api/operator/image-builds')
  assert.equal(refused.status, 403)
})
