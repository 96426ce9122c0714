import assert from 'node:assert/strict'
import { lstat, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { packTar, type TarEntry } from 'modern-tar'
import { unpackFolder } from './unpack-folder.ts'

const file = (name: string, body = 'content'): TarEntry => ({
  header: { name, size: Buffer.byteLength(body), type: 'file' },
  body,
})
const symlink = (name: string, linkname: string): TarEntry => ({
  header: { name, size: 0, type: 'symlink', linkname },
})
const hardLink = (name: string, linkname: string): TarEntry => ({
  header: { name, size: 0, type: 'link', linkname },
})

const home = await mkdtemp(join(tmpdir(), 'sandglass-unpack-'))
test.after(() => rm(home, { recursive: true, force: true }))

/** Unpacks into a folder beside others, and returns it. */
async function unpack(bytes: Uint8Array<ArrayBuffer>) {
  const around = await mkdtemp(join(home, 'around-'))
  const into = join(around, 'copy')
  const result = await unpackFolder(new Blob([bytes]).stream(), into, () => {}).catch(error => error)
  return { result, into, beside: (await readdir(around)).filter(name => name !== 'copy') }
}

for (const [kind, entries] of Object.entries({
  'a name that leads up': [file('./../out')],
  'a name that leads up from a folder': [file('./folder/../../out')],
  'a name from the root': [file(join(home, 'out'))],
  'a file through a symlink': [symlink('./link', '..'), file('./link/out')],
  'a file in place of a symlink': [symlink('./link', '../out'), file('./link')],
  'a hard link that leads up': [hardLink('./link', '../../../../etc/hostname')],
  'a hard link to a file of the host': [hardLink('./link', '/etc/hostname')],
} satisfies Record<string, readonly TarEntry[]>))
  test(`nothing is written outside by ${kind}`, async () => {
    const { result, beside } = await unpack(await packTar(entries))
    assert.ok(result instanceof Error)
    assert.deepEqual(beside, [])
    assert.deepEqual(
      (await readdir(home)).filter(name => !name.startsWith('around-')),
      [],
    )
  })

test('links inside are kept, rights beyond the usual are not, and devices are left out', async () => {
  const entries: TarEntry[] = [
    { header: { name: './program', size: 7, type: 'file', mode: 0o6755 }, body: 'content' },
    symlink('./there', 'program'),
    hardLink('./same', './program'),
    { header: { name: './device', size: 0, type: 'character-device' } },
  ]
  const { result, into } = await unpack(await packTar(entries))
  assert.match(String(result.failures), /device: neither a file/)
  assert.equal((await lstat(join(into, 'program'))).mode & 0o7777, 0o755)
  assert.equal(await readFile(join(into, 'there'), 'utf8'), 'content')
  assert.equal((await lstat(join(into, 'same'))).nlink, 2)
  assert.deepEqual(await readdir(into), ['program', 'same', 'there'])
})

test('an archive that ends too early is an error, wherever it ends', async () => {
  const bytes = await packTar([file('./one', 'x'.repeat(2000)), file('./two')])
  for (const end of [100, 512, 1500, 2560, 3072, bytes.length - 1024])
    assert.ok((await unpack(bytes.slice(0, end))).result instanceof Error, `after ${end} bytes`)
  assert.ok(!((await unpack(bytes)).result instanceof Error))
})
