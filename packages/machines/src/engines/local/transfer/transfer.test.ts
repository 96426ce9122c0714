import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type LocalEngineOptions, settle } from '../options.ts'
import { LocalVolumes } from '../volumes/local-volumes.ts'
import { LocalTransfer } from './local-transfer.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-transfer-'))
const optionsOf = (host: string): LocalEngineOptions => ({
  dataDir: join(folder, host, 'local'),
  imagesDir: join(folder, host, 'images'),
  uplink: 'none',
  diskOvercommit: 10,
  volumeMiB: 0,
})
const here = new LocalTransfer(optionsOf('here'))
const there = new LocalTransfer(optionsOf('there'))
after(async () => {
  for (const transfer of [here, there]) await transfer.abandon()
  await rm(folder, { recursive: true, force: true })
})

async function digestOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of content) hash.update(chunk)
  return hash.digest('hex')
}

async function* interrupted(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    yield chunk
    throw new Error('the storage was interrupted')
  }
}

test('a volume arrives on another host as it was, or not at all', async () => {
  const id = 'data'
  for (const host of ['here', 'there']) await mkdir(join(folder, host, 'images'), { recursive: true })
  const settings = settle(optionsOf('here'))
  await new LocalVolumes(settings).create({ id, sizeMiB: 64 })
  const described = await here.describe('volume', id)
  assert.ok(described)
  const owner = { installation: 'new', node: 'new', number: 7 }
  const spec = { id, owner, about: described.about }
  await assert.rejects(
    here.read('volume', id, content => there.write('volume', spec, interrupted(content))),
    /the storage was interrupted/,
  )
  const arrived = new LocalVolumes(settle(optionsOf('there')))
  assert.deepEqual(await arrived.list(), [])
  await here.read('volume', id, content => there.write('volume', spec, content))
  const [volume, ...others] = await arrived.list()
  assert.deepEqual([volume?.id, volume?.owner, others], [id, owner, []])
  assert.equal(await there.read('volume', id, digestOf), await here.read('volume', id, digestOf))
  assert.deepEqual(await there.describe('volume', id), described)
  assert.deepEqual(await readdir(join(settings.disksDir, 'read')), [])
})

test('what is not there is said to be so, and an id leads nowhere else', async () => {
  assert.equal(await here.describe('disk', 'none'), undefined)
  await assert.rejects(async () => await here.describe('base', '../etc'), /is not an id/)
})

test('an abandoned host has nothing of it any more', async () => {
  await there.abandon()
  assert.ok(!existsSync(optionsOf('there').dataDir))
})
