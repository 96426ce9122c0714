import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { StartedWorker } from '../contract/worker-host.ts'
import { workersHere } from '../testing/workers-here.ts'
import { WorkerPool } from './worker-pool.ts'

test('a worker that was started in advance and ends before it is needed is replaced', async t => {
  const host = workersHere(() => Promise.reject(new Error('the test opens no machines')))
  const started: StartedWorker[] = []
  const failures: unknown[] = []
  const pool = new WorkerPool({
    host: {
      keepFiles: files => host.keepFiles(files),
      start: async () => {
        const worker = await host.start()
        started.push(worker)
        return worker
      },
    },
    onFailure: error => failures.push(error),
  })
  t.after(() => pool.close())
  pool.warm()
  await waitFor(() => started.length === 1)
  started[0]?.kill()
  await waitFor(() => started.length === 2)
  assert.equal(failures.length, 1)
  // The end of one that is used is no failed start: there is a spare already.
  pool.prepare('a tenant')
  await waitFor(() => started.length === 3)
  started[1]?.kill()
  await waitFor(() => pool.pids.length === 0)
  assert.deepEqual([started.length, failures.length], [3, 1])
})
