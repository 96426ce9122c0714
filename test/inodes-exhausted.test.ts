import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { smallDisk, waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'

const disk = await smallDisk(512, { inodes: 6000 })
cleanup.defer(() => disk.dispose())
const service = await startTestService(
  { SANDGLASS_DATA: join(disk.folder, 'data'), SANDGLASS_DISK_RESERVE: '16' },
  async () => paperEngines(),
)
const create = () => service.post('~/sandboxes', { shapeName: 'linux-desktop' })

test('without inodes creates are refused with the reason, nothing gets a 500, and it recovers by itself', async () => {
  const kept = await create()
  assert.equal(kept.status, 200, kept.text)
  await disk.fillInodes()
  const ready = await service.get('/readyz')
  assert.deepEqual([ready.status, ready.body.failed[0].check], [503, 'disk'])
  assert.match(ready.body.message, /can hold only 0 more files, and 1000 must stay free/)
  const refused = await create()
  assert.deepEqual([refused.status, refused.body.code], [503, 'machine.NO_CAPACITY'])
  assert.match(refused.body.message, /can hold only 0 more files/)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.equal(await service.metric('sandglass_disk_free_files'), 0)

  const acknowledged: string[] = []
  for (let i = 0; i < 50; i++) {
    const name = `project ${i}`
    const { status, text } = await service.post('~/projects', { name })
    assert.ok([200, 503].includes(status), text)
    if (status === 200) acknowledged.push(name)
  }
  for (const path of ['~/sandboxes', `~/sandboxes/${kept.body.id}`, '~/stats', '~/events'])
    assert.equal((await service.get(path)).status, 200, path)

  await disk.empty()
  await waitFor(async () => (await service.get('/readyz')).status === 200)
  assert.equal((await create()).status, 200)
  const { body: projects } = await service.get('~/projects')
  const names = projects.map(({ name }: { name: string }) => name)
  assert.deepEqual(
    acknowledged.filter(name => !names.includes(name)),
    [],
  )
  assert.equal((await service.delete(`~/sandboxes/${kept.body.id}`)).status, 200)
})
