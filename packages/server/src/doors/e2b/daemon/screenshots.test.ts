import assert from 'node:assert/strict'
import { Readable, Writable } from 'node:stream'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { pino } from 'pino'
import type { Looks } from '../../../modules/actions/looks.ts'
import type { Inside } from '../../../modules/sandboxes/sandbox-router.ts'
import { Screenshots } from './screenshots.ts'

/** A machine with Debian's scrot, and the files that were created in it. */
async function tested() {
  const created: string[] = []
  const files = { create: async (path: string, content: Buffer) => void created.push(`${path} ${content}`) }
  const exec = async () => ({
    stdin: new Writable(),
    stdout: Readable.from(['/usr/bin/scrot\n']),
    stderr: Readable.from([]),
  })
  const picture = async () => ({ bytes: async () => ({ body: Buffer.from('picture') }) })
  const inside = { sandbox: { id: 'box' }, machine: { files, exec } } as unknown as Inside
  const screenshots = new Screenshots({ picture } as unknown as Looks, pino({ enabled: false }))
  const put = (path: string, recorded: Promise<void>) => screenshots.put(inside, path, recorded)
  await waitFor(() => put('/tmp/first.png', Promise.resolve()))
  created.length = 0
  return { created, put }
}

test('nothing is created before the attempt is recorded', async () => {
  const { created, put } = await tested()
  const recorded = Promise.withResolvers<void>()
  const done = put('/tmp/one.png', recorded.promise)
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
  assert.deepEqual(created, [])
  recorded.resolve()
  assert.equal(await done, true)
  assert.deepEqual(created, ['/tmp/one.png picture'])
})

test('nothing is created if the attempt cannot be recorded', async () => {
  const { created, put } = await tested()
  assert.equal(await put('/tmp/one.png', Promise.reject(new Error('no database'))), false)
  assert.deepEqual(created, [])
})
