import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { Bucket } from '../bucket.ts'
import { cleanup } from '../testing/cleanup.ts'
import { S3Server } from '../testing/s3-server.ts'
import { DiskStore } from './disk-store.ts'
import { newPictureId, type PictureId } from './picture-id.ts'
import { nameText, type PictureName } from './picture-name.ts'
import { S3Store } from './s3-store.ts'
import type { LinkedPicture, PictureStore } from './store.ts'

const hourMs = 3_600_000
const now = Date.now()

const idFor = (lifeMs: number) => newPictureId(now + lifeMs, '0123456789ab')
const nameOf = (seed: string): PictureName => ({
  hash: createHash('sha256').update(seed).digest('hex'),
  format: 'webp',
})

async function read(store: PictureStore, id: PictureId, name: PictureName): Promise<string | undefined> {
  const picture = await store.open(id, name)
  if (!picture) return undefined
  const body = await buffer(picture.body)
  assert.equal(body.length, picture.size)
  return body.toString()
}

async function linkedIn(store: PictureStore): Promise<LinkedPicture[]> {
  const found: LinkedPicture[] = []
  for await (const one of store.linked('0123456789ab')) found.push(one)
  return found
}

interface Opened {
  readonly store: PictureStore
  /** The names of the stored pictures, however many ids are linked to them. */
  stored(): Promise<string[]>
  /** The number of ids. */
  ids(): Promise<number>
  /** Opens the store again, as after a restart. */
  reopen(): Promise<PictureStore>
}

async function onDisk(): Promise<Opened & { root: string }> {
  const root = await mkdtemp(join(tmpdir(), 'sandglass-pictures-'))
  cleanup.defer(() => rm(root, { recursive: true, force: true }))
  const files = async (folder: string) =>
    (await readdir(join(root, folder), { recursive: true, withFileTypes: true })).filter(one => one.isFile())
  return {
    root,
    store: await DiskStore.open(root),
    stored: async () => (await files('objects')).map(({ name }) => name),
    ids: async () => new Set((await files('links')).map(({ parentPath }) => parentPath)).size,
    reopen: () => DiskStore.open(root),
  }
}

async function inBucket(): Promise<Opened & { storage: S3Server }> {
  const storage = await S3Server.start()
  const openStore = () => new S3Store(new Bucket({ ...storage, endpoint: storage.endpoint, ...storage.keys }))
  const below = (prefix: string) => [...storage.objects.keys()].filter(key => key.startsWith(prefix))
  return {
    storage,
    store: openStore(),
    reopen: async () => openStore(),
    stored: async () => below('screenshots/objects/').map(key => key.split('/').at(-1) ?? ''),
    ids: async () => new Set(below('screenshots/links/').map(key => key.split('/')[2])).size,
  }
}

for (const [place, open] of Object.entries({ 'a disk': onDisk, 'a bucket': inBucket }))
  suite(`a store on ${place}`, async () => {
    const { store, stored, ids } = await open()

    test('returns what was stored, and nothing for unknown ids', async () => {
      const [id, name] = [idFor(hourMs), nameOf('one')]
      await store.put(id, name, Buffer.from('one'))
      assert.deepEqual(await store.find(id), name)
      assert.equal(await read(store, id, name), 'one')
      assert.equal(await store.find(idFor(hourMs)), undefined)
      assert.equal(await store.open(idFor(hourMs), nameOf('another')), undefined)
    })

    test('stores a picture once, however many ids are linked to it', async () => {
      const [name, first] = [nameOf('shared'), idFor(hourMs)]
      assert.equal(await store.link(first, name), false)
      await store.put(first, name, Buffer.from('shared'))
      const others = Array.from({ length: 5 }, () => idFor(hourMs))
      for (const id of others) assert.equal(await store.link(id, name), true)
      for (const id of [first, ...others]) assert.equal(await read(store, id, name), 'shared')
      assert.equal((await stored()).filter(one => one === nameText(name)).length, 1)
    })

    test('can store the same picture twice concurrently', async () => {
      const [name, a, b] = [nameOf('raced'), idFor(hourMs), idFor(hourMs)]
      await Promise.all([a, b].map(id => store.put(id, name, Buffer.from('raced'))))
      assert.deepEqual([await read(store, a, name), await read(store, b, name)], ['raced', 'raced'])
      assert.equal((await stored()).filter(one => one === nameText(name)).length, 1)
    })

    test('stores converted pictures next to their original', async () => {
      const [id, name] = [idFor(hourMs), nameOf('taken')]
      const remade: PictureName = { ...name, remade: 'png' }
      await store.put(id, name, Buffer.from('taken'))
      assert.equal(await store.open(id, remade), undefined)
      await store.put(id, remade, Buffer.from('remade'))
      assert.deepEqual(await store.find(id), name)
      assert.equal(await read(store, id, remade), 'remade')
      assert.equal(await read(store, id, name), 'taken')
    })

    test('lists the pictures of a node with their owners and sizes, also after a restart', async () => {
      const { store, reopen } = await open()
      const [id, name] = [idFor(hourMs), nameOf('owned')]
      const owner = { orgId: 'organization', sandboxId: 'sandbox' }
      await store.put(id, name, Buffer.from('owned'), owner)
      await store.put(id, { ...name, remade: 'png' }, Buffer.from('converted'), owner)
      await store.put(newPictureId(now + hourMs, 'ba9876543210'), name, Buffer.from('owned'), owner)
      const listed = await linkedIn(await reopen())
      assert.deepEqual(
        listed.toSorted((a, b) => a.bytes - b.bytes),
        [
          { id, name, owner, bytes: 5 },
          { id, name: { ...name, remade: 'png' }, owner, bytes: 9 },
        ],
      )
    })

    test('deletes an id at once, and its picture with the last id', async () => {
      const { store, reopen, stored, ids } = await open()
      const [name, one, other] = [nameOf('deleted'), idFor(hourMs), idFor(hourMs)]
      await store.put(one, name, Buffer.from('deleted'))
      await store.put(one, { ...name, remade: 'png' }, Buffer.from('converted'))
      assert.equal(await store.link(other, name), true)
      const again = await reopen()
      await linkedIn(again)
      await again.delete(one)
      assert.equal(await again.find(one), undefined)
      assert.deepEqual([await stored(), await ids()], [[nameText(name)], 1])
      assert.equal(await read(again, other, name), 'deleted')
      await again.delete(other)
      await again.delete(other)
      assert.deepEqual([await stored(), await ids()], [[], 0])
    })

    test('deletes expired ids and pictures without ids, and nothing else', async () => {
      const week = 7 * 24 * hourMs
      const [short, long] = [nameOf('short'), nameOf('long')]
      const brief = Array.from({ length: 25 }, (_, index) => idFor(index))
      for (const id of brief) await store.put(id, short, Buffer.from('short'))
      const lasting = idFor(week)
      for (const id of [idFor(1), lasting]) await store.put(id, long, Buffer.from('long'))
      const before = await ids()
      await store.sweep(now + 100)
      assert.equal(await ids(), before - brief.length - 1)
      assert.equal(await read(store, lasting, long), 'long')

      await store.sweep(now + week - hourMs)
      assert.deepEqual(await stored(), [nameText(long)])
      assert.equal(await read(store, lasting, long), 'long')
      await store.sweep(now + 2 * week)
      assert.deepEqual([await stored(), await ids()], [[], 0])
      await store.sweep(now + 2 * week)
    })
  })

suite('a disk', () => {
  test('has one file for equal pixels, with a link for each id', async () => {
    const { store, root } = await onDisk()
    const name = nameOf('linked')
    await store.put(idFor(1), name, Buffer.from('linked'))
    await store.link(idFor(hourMs), name)
    const file = join(root, 'objects', name.hash.slice(0, 2), nameText(name))
    assert.equal((await stat(file)).nlink, 3)
    await store.sweep(now + 2)
    assert.equal((await stat(file)).nlink, 2)
  })

  test('is consistent after a crash, a start and a sweep', async () => {
    const { store, root, stored } = await onDisk()
    const [id, name] = [idFor(hourMs), nameOf('kept')]
    await store.put(id, name, Buffer.from('kept'))
    await store.put(idFor(hourMs), nameOf('cut off'), Buffer.alloc(0))
    await writeFile(join(root, 'new', 'half'), 'ha')
    await writeFile(join(root, 'objects', name.hash.slice(0, 2), nameText(nameOf('unlinked'))), 'unlinked')
    const again = await DiskStore.open(root)
    await again.sweep(now)
    assert.deepEqual(await readdir(join(root, 'new')), [])
    assert.deepEqual(await stored(), [nameText(name)])
    assert.equal(await read(again, id, name), 'kept')
  })
})

suite('a bucket', () => {
  const unavailable = { code: 'service.UNAVAILABLE' }

  test('with wrong keys gets a 503 that does not show them', async () => {
    const { storage } = await inBucket()
    const refused = new S3Store(
      new Bucket({ ...storage, ...storage.keys, endpoint: storage.endpoint, secretAccessKey: 'wrong' }),
    )
    const [id, name] = [idFor(hourMs), nameOf('refused')]
    await assert.rejects(refused.put(id, name, Buffer.from('x')), unavailable)
    await assert.rejects(refused.find(id), unavailable)
    await assert.rejects(refused.sweep(now), error => {
      assert.ok(error instanceof Error && !error.message.includes('wrong'))
      return true
    })
    assert.equal(storage.objects.size, 0)
  })

  test('that does not respond gets a 503', async () => {
    const { storage, store } = await inBucket()
    await storage.stop()
    await assert.rejects(store.find(idFor(hourMs)), unavailable)
  })
})
