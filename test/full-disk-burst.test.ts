import assert from 'node:assert/strict'
import { test } from 'node:test'
import { smallDisk, waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { ownDisk, World } from './faults/world.ts'

test('of many creates at once on a disk for a few, each is refused at once or runs', async () => {
  const disk = await smallDisk(8192)
  cleanup.defer(() => disk.dispose())
  const world = await World.start({ data: disk.folder, env: ownDisk })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      world.ask({
        what: 'createSandbox',
        method: 'POST',
        path: '~/sandboxes',
        json: { shapeName: 'small', name: `one of many ${number}` },
      }),
    ),
  )
  const accepted = answers.filter(({ status }) => status === 200).map(({ body }) => String(body.id))
  assert.ok(accepted.length > 1 && accepted.length < 20, `${accepted.length} of 20 fit`)
  for (const { status, body } of answers)
    if (status !== 200) assert.deepEqual([status, body.code], [503, 'machine.NO_CAPACITY'])
  for (const id of accepted)
    await waitFor(async () => {
      const { body } = await world.ask({ what: 'getSandbox', method: 'GET', path: `~/sandboxes/${id}` })
      const { status, reason } = body.sandbox
      assert.notEqual(status, 'ERROR', reason)
      return status === 'RUNNING'
    })
})
