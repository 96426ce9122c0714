import assert from 'node:assert/strict'
import {
  chmod,
  chown,
  lchown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { systemUser } from '../db/embedded/unprivileged.ts'
import { prepareData } from './data-owner.ts'
import { frontOf } from './front-record.ts'

const root = await mkdtemp(join(tmpdir(), 'sandglass-owner-'))
after(() => rm(root, { recursive: true }))

const alice = { uid: 61_990, gid: 61_990 }
const bob = { uid: 61_991, gid: 61_990 }
let folders = 0
let data: string
beforeEach(() => {
  data = join(root, String(++folders))
})

const ownerOf = async (name: string) => (await lstat(join(data, name))).uid

/** A data directory as a service made it that was root. */
async function earlierVersion(): Promise<void> {
  const { uid, gid } = await systemUser()
  for (const name of [
    'local/machines',
    'images',
    'postgres/cluster',
    'screenshots/new',
    'packages/lists',
    'quic',
  ])
    await mkdir(join(data, name), { recursive: true })
  for (const name of [
    'lock',
    'node-id',
    'credentials.json',
    'credentials-1f.json',
    'env',
    'secret-key',
    'shapes.json',
  ])
    await writeFile(join(data, name), name, { mode: 0o600 })
  for (const name of ['postgres', 'postgres/cluster']) await chown(join(data, name), uid, gid)
  await writeFile(join(data, 'screenshots/new/picture'), '')
  await chmod(data, 0o700)
}

test('a new data directory belongs to root, and the front can make files in it but not replace folders of the host', async () => {
  await prepareData(data, alice)
  const { uid, gid, mode } = await stat(data)
  assert.deepEqual([uid, gid, (mode & 0o7777).toString(8)], [0, alice.gid, '1770'])
  for (const name of ['local', 'qemu', 'images']) assert.equal(await ownerOf(name), 0)
  for (const name of ['local', 'qemu']) assert.equal((await stat(join(data, name))).mode & 0o777, 0o700)
  assert.deepEqual(await frontOf(data), alice)
})

test('the files of a service that was root are handed to the front, and those of the host and the operator stay', async () => {
  await earlierVersion()
  await prepareData(data, alice)
  for (const name of [
    'lock',
    'node-id',
    'credentials.json',
    'credentials-1f.json',
    'env',
    'secret-key',
    'postgres',
    'postgres/cluster',
    'screenshots/new/picture',
  ])
    assert.equal(await ownerOf(name), alice.uid, name)
  for (const name of ['local', 'local/machines', 'images', 'shapes.json'])
    assert.equal(await ownerOf(name), 0, name)
  assert.equal((await stat(join(data, 'secret-key'))).mode & 0o777, 0o600)
  for (const name of ['packages', 'quic']) await assert.rejects(ownerOf(name), { code: 'ENOENT' })
  await prepareData(data, bob)
  assert.equal(await ownerOf('postgres/cluster'), bob.uid)
})

test('the data of an ordinary user who ran no machines is taken over', async () => {
  await mkdir(join(data, 'postgres'), { recursive: true, mode: 0o700 })
  for (const name of ['.', 'postgres']) await chown(join(data, name), alice.uid, alice.gid)
  await prepareData(data, bob)
  assert.equal(await ownerOf('postgres'), bob.uid)
  assert.equal((await stat(data)).uid, 0)
})

test('links that a front has put there lead to no change of a file elsewhere', async () => {
  await prepareData(data, alice)
  const [treasure, secret] = [join(root, 'treasure'), join(root, 'secret')]
  await mkdir(join(treasure, 'inside'), { recursive: true })
  await writeFile(secret, 'secret')
  await symlink(treasure, join(data, 'screenshots'))
  await link(secret, join(data, 'secret-key'))
  await mkdir(join(data, 'postgres'))
  await symlink(secret, join(data, 'postgres', 'cluster'))
  await chown(join(data, 'postgres'), alice.uid, alice.gid)
  await lchown(join(data, 'screenshots'), alice.uid, alice.gid)
  await prepareData(data, bob)
  assert.equal(await ownerOf('postgres'), bob.uid)
  for (const path of [treasure, join(treasure, 'inside'), secret])
    assert.equal((await stat(path)).uid, 0, path)
})

test('a folder of the host that somebody else has made is refused, and so is a directory that others can write to', async () => {
  await mkdir(join(data, 'local'), { recursive: true })
  await chmod(data, 0o700)
  await chown(join(data, 'local'), alice.uid, alice.gid)
  await assert.rejects(prepareData(data, alice), /local does not belong to root/)
  await rm(join(data, 'local'), { recursive: true })
  await symlink(root, join(data, 'local'))
  await assert.rejects(prepareData(data, alice), /local does not belong to root/)
  await rm(join(data, 'local'))
  await chmod(data, 0o777)
  await assert.rejects(prepareData(data, alice), /Others can write to the data directory .* chmod go-w/)
})
