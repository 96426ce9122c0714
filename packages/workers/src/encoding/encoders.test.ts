import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { availableParallelism, getPriority } from 'node:os'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { windows } from '../testing/frames.ts'
import { Encoders } from './encoders.ts'

/** Returns how many threads of this process have a lower priority than the one that answers requests. */
async function loweredThreads(): Promise<number> {
  const own = getPriority(process.pid)
  const threads = (await readdir('/proc/self/task')).map(Number)
  return threads.filter(thread => getPriority(thread) > own).length
}

test('every core encodes, with a lower priority than the thread that answers requests', async () => {
  const encoders = new Encoders(error => assert.fail(error))
  try {
    const choice = { format: 'webp' } as const
    const { body } = await encoders.develop('a', windows(64, 48), choice)
    assert.ok(body.length > 0)
    // Two of libuv's four threads are left for other work.
    const expected = Math.min(availableParallelism(), 2)
    await waitFor(async () => (await loweredThreads()) === expected)
  } finally {
    await encoders.close()
  }
})
