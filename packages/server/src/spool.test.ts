import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { smallDisk } from '@sandglass/machines/testing'
import { Spool } from './spool.ts'
import { cleanup } from './testing/cleanup.ts'

const MiB = 1024 * 1024
const disk = await smallDisk(32)
cleanup.defer(() => disk.dispose())
const folder = join(disk.folder, 'spool')
const spool = new Spool(folder, 0)
await spool.start()
const limits = { maxBytes: 64 * MiB, tooLarge: () => new Error('too large') }

test('what was stored is read as it was, as often as it is needed, and has no name', async () => {
  const content = randomBytes(3 * MiB)
  await using stored = await spool.store([content.subarray(0, 5), content.subarray(5)], limits)
  assert.deepEqual(await readdir(folder), [])
  for (let time = 0; time < 2; time++) assert.ok((await buffer(stored.read())).equals(content))
})

test('a disk that takes only a part of a write is reported as full, and keeps nothing', async () => {
  await disk.fill(1)
  // One write, of which the disk takes the beginning without an error.
  await assert.rejects(spool.store([randomBytes(4 * MiB)], limits), { code: 'node.DISK_FULL' })
  await using small = await spool.store([Buffer.from('still works')], limits)
  assert.equal(String(await buffer(small.read())), 'still works')
  await disk.empty()
})

test('a disk without inodes is reported as full', async () => {
  await disk.fillInodes()
  await assert.rejects(spool.store([Buffer.from('x')], limits), { code: 'node.DISK_FULL' })
  await disk.empty()
})
