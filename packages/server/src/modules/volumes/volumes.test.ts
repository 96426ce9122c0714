import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../../testing/make-sandbox.ts'
import { runInSandbox } from '../../testing/run-in-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const machines = await startMachineService({ warm: 1 })
const { service, engine } = machines
const run = (id: string, script: string) => runInSandbox(machines, id, script)

const volumes = [{ name: 'data', path: '/home/user/data' }]
const remove = async (id: string) => assert.equal((await service.delete(`~/sandboxes/${id}`)).status, 200)

test('what a sandbox writes to a volume is there for the next one, also through the file operations', async () => {
  const { body: volume, text: answer } = await service.post('~/volumes', { name: 'data', sizeMiB: 64 })
  assert.equal(volume.status, 'READY', answer)
  const first = await makeSandbox(service, { shapeName: 'warm', volumes })
  const write = await service.call(
    'PUT',
    `/api/orgs/${service.orgId}/sandboxes/${first}/files/content?path=/home/user/data/note`,
    { body: 'kept', headers: { 'content-type': 'application/octet-stream' } },
  )
  assert.equal(write.status, 200, write.text)
  assert.equal((await service.post(`~/sandboxes/${first}/hibernate`)).status, 200)
  assert.equal((await service.post(`~/sandboxes/${first}/resume`)).status, 200)
  assert.equal(await run(first, 'cat data/note'), 'kept')
  // The next sandbox is created at once, before the first machine is gone.
  await remove(first)
  const second = await makeSandbox(service, { shapeName: 'warm', volumes })
  const read = await service.get(`~/sandboxes/${second}/files/content?path=/home/user/data/note`)
  assert.deepEqual([read.status, read.text], [200, 'kept'])
  await remove(second)
  const readers = await Promise.all(
    [0, 1].map(() => makeSandbox(service, { volumes: [{ ...volumes[0], readOnly: true }] })),
  )
  for (const id of readers)
    assert.match(await run(id, 'cat data/note; echo; sudo touch data/new'), /^kept\n.*Read-only/s)
  for (const id of readers) await remove(id)
  assert.equal((await service.delete(`~/volumes/${volume.id}`)).status, 200)
  await waitFor(async () => (await engine.volumes.list()).length === 0)
})
