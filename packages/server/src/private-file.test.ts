import assert from 'node:assert/strict'
import { chown, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { writePrivateFile } from './private-file.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-private-'))
after(() => rm(folder, { recursive: true }))

test('a file that root replaces still belongs to its user, and nobody else can read it', async () => {
  const path = join(folder, 'secret-key')
  await writeFile(path, 'old')
  await chown(path, 61_990, 61_991)
  await writePrivateFile(path, 'new')
  const { uid, gid, mode } = await stat(path)
  assert.deepEqual([uid, gid, mode & 0o777], [61_990, 61_991, 0o600])
  assert.equal(await readFile(path, 'utf8'), 'new')
})

test('a link in the way of a new file is removed instead of followed', async () => {
  const path = join(folder, 'credentials.json')
  const elsewhere = join(folder, 'elsewhere')
  await writeFile(elsewhere, 'untouched')
  await symlink(elsewhere, `${path}.new`)
  await writePrivateFile(path, 'new')
  assert.equal(await readFile(elsewhere, 'utf8'), 'untouched')
  assert.equal(await readFile(path, 'utf8'), 'new')
})
