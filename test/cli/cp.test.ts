import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { RunningSandbox } from '../../packages/server/src/testing/running-sandbox.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { CommandLine, finishedOf } from '../support/command-line.ts'

const machines = await startMachineService()
const box = await RunningSandbox.start(machines)
const cli = await CommandLine.for(machines.service)
const folder = await mkdtemp(join(tmpdir(), 'sandglass-cp-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))

const names = [
  'plain',
  'two words',
  '-rf',
  'new\nline',
  ' ',
  'ünïcödé 漢字 🚀',
  'a:b',
  'back\\slash',
  'quo\'te"s',
  '$(id)',
  '*',
  `long ${'x'.repeat(200)}`,
]

/** A tree with names, modes, times and links that are easily lost. */
async function makeTree(root: string): Promise<void> {
  for (const [index, name] of names.entries()) {
    const sub = join(root, `folder ${name}`)
    await mkdir(join(sub, 'empty'), { recursive: true })
    const file = join(sub, name)
    await writeFile(file, randomBytes(index * 1000))
    await chmod(file, index % 2 === 0 ? 0o755 : 0o600)
    // At the end of a second, which must not become the next one.
    await utimes(file, 1_600_000_000 + index, 1_600_000_000 + index + 0.9997)
    await symlink(name, join(sub, 'link'))
  }
  await symlink('/nowhere/at all', join(root, 'broken'))
  await symlink(`folder ${names[0]}`, join(root, 'to a folder'))
  await writeFile(join(root, 'large'), randomBytes(3_000_000))
  await mkdir(join(root, 'read-only'))
  await writeFile(join(root, 'read-only', 'file'), 'x')
  await chmod(join(root, 'read-only'), 0o555)
  await utimes(join(root, 'read-only'), 1_500_000_000, 1_500_000_000)
}

/** Everything that must be the same on both sides. */
async function describe(root: string, name = '.'): Promise<string[]> {
  const path = join(root, name)
  const stats = await lstat(path)
  const seconds = Math.floor(stats.mtimeMs / 1000)
  if (stats.isSymbolicLink()) return [`link ${name} -> ${await readlink(path)}`]
  const common = `${name} ${(stats.mode & 0o777).toString(8)}`
  if (stats.isFile()) {
    const hash = createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
    return [`file ${common} ${seconds} ${hash}`]
  }
  const below = await Promise.all(
    (await readdir(path)).sort().map(child => describe(root, join(name, child))),
  )
  return [`folder ${common} ${name === '.' ? '' : seconds}`, ...below.flat()]
}

async function copies(...words: string[]): Promise<void> {
  const { exitCode, stderr } = await cli.run(['cp', ...words], '', folder)
  assert.deepEqual([exitCode, stderr], [0, ''])
}

test('a tree with awkward names comes back as it was, and into an existing folder only adds to it', async () => {
  const tree = join(folder, 'tree')
  await makeTree(tree)
  await copies('tree', `${box.id}:there/-copy of it`)
  await copies(`${box.id}:there/-copy of it`, 'back')
  assert.deepEqual(await describe(join(folder, 'back')), await describe(tree))
  assert.equal(await box.run('ls -A there'), '-copy of it')
  // Once more into what exists: it is merged, and what was there before stays.
  await box.run("echo mine > 'there/-copy of it/own'; echo old > 'there/-copy of it/large'")
  await writeFile(join(folder, 'back/own'), 'mine\n')
  await rm(join(folder, 'back/large'))
  await mkdir(join(folder, 'again'))
  await copies('tree', `${box.id}:merged`)
  await box.run('chmod 755 merged/read-only')
  await copies('tree/.', `${box.id}:merged`)
  assert.equal(
    await box.run('find merged -mindepth 1 -maxdepth 1 -printf x | wc -c'),
    String(names.length + 4),
  )
  await copies(`${box.id}:there/-copy of it`, 'again/')
  await copies(`${box.id}:there/-copy of it/own`, `${box.id}:/etc/hostname`, 'again')
  assert.equal(await readFile(join(folder, 'again/own'), 'utf8'), 'mine\n')
  assert.equal(await readFile(join(folder, 'again/-copy of it/large'), 'utf8'), 'old\n')
  await chmod(join(folder, 'back/read-only'), 0o755)
  await copies(`${box.id}:there/-copy of it/.`, 'back')
  assert.equal(await readFile(join(folder, 'back/large'), 'utf8'), 'old\n')
  assert.deepEqual(
    (await readdir(folder)).filter(name => name.startsWith('.')),
    [],
  )
})

test('single files keep their mode and time, whatever they are called, and pipes are files too', async () => {
  for (const name of names) {
    const file = join(folder, name)
    await writeFile(file, name)
    await chmod(file, 0o751)
    await utimes(file, 1_400_000_000, 1_400_000_000)
  }
  await copies('--', ...names.map(name => `./${name}`), `${box.id}:files`)
  assert.equal(await box.run("stat -c '%a %Y' files/* | sort -u"), '751 1400000000')
  assert.equal(await box.run('cat "files/new\nline"'), 'new\nline')
  await copies(`${box.id}:files/a:b`, './other:name')
  const back = await lstat(join(folder, 'other:name'))
  assert.deepEqual([back.mode & 0o777, back.mtimeMs], [0o751, 1_400_000_000_000])
  const bytes = randomBytes(300_000)
  assert.equal((await cli.run(['cp', '-', `${box.id}:piped`], bytes)).exitCode, 0)
  const { stdout, exitCode } = await cli.run(['cp', `${box.id}:piped`, '-'])
  assert.ok(stdout.equals(bytes))
  assert.equal(exitCode, 0)
})

test('an interrupted copy leaves no half file, neither here nor there', async () => {
  await box.run('mkdir -p out; head -c 200M /dev/zero > out/big')
  for (const [from, to] of [
    [`${box.id}:out`, 'partial'],
    [`${box.id}:out/big`, 'partial'],
  ] as const) {
    const copying = cli.start(['cp', from, to], folder)
    const finished = finishedOf(copying)
    await waitFor(async () => (await readdir(folder)).some(name => name.startsWith('.sandglass-cp-')))
    copying.kill('SIGINT')
    assert.equal((await finished).exitCode, 130)
    assert.deepEqual(
      (await readdir(folder)).filter(name => /^\.|partial/.test(name)),
      [],
    )
  }
  const copying = cli.start(['cp', '-', `${box.id}:in/half`], folder)
  copying.stdin?.write(Buffer.alloc(1_000_000))
  await waitFor(async () => (await box.run('ls -A in 2>/dev/null | wc -l')) !== '0')
  const finished = finishedOf(copying)
  copying.kill('SIGINT')
  assert.equal((await finished).exitCode, 130)
  await waitFor(async () => (await box.run('ls -A in')) === '')
})

test('what cannot be copied is an error that says what to do', async () => {
  for (const [words, exitCode, message] of [
    [['nothing', `${box.id}:x`], 1, /There is no file or folder nothing\./],
    [['a', 'b'], 2, /One side has to be a path in a sandbox/],
    [[`${box.id}:no such file`, '.'], 1, /no such file/i],
    [[`${box.id}:/etc/shadow`, '.'], 1, /denied|not allowed|may not/i],
    [['only'], 2, /where to copy to/],
  ] as const) {
    const result = await cli.run(['cp', ...words], '', folder)
    assert.equal(result.exitCode, exitCode, result.stderr)
    assert.match(result.stderr, message)
  }
  await box.run(
    'mkdir mixed; echo yes > mixed/readable; echo no > mixed/secret; chmod 0 mixed/secret; mkfifo mixed/fifo',
  )
  const { exitCode, stderr } = await cli.run(['cp', `${box.id}:mixed`, '.'], '', folder)
  assert.equal(exitCode, 1)
  assert.match(stderr, /not copied: .*secret/)
  assert.match(stderr, /not copied: .*fifo/)
  assert.deepEqual(await readdir(join(folder, 'mixed')), ['readable'])
})
