import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { promisify } from 'node:util'
import { z } from 'zod'

const repository = join(import.meta.dirname, '..')
let folder: string
let clone: string
let start: string

interface Ended {
  readonly code: number
  readonly printed: string
}

const Versioned = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()).optional(),
})
const Sbom = z.object({
  bomFormat: z.string(),
  metadata: z.object({ component: z.object({ version: z.string() }) }),
})
const Lockfile = z.object({ version: z.string(), packages: z.record(z.string(), z.unknown()) })

/** A clone with the sources as they are here, committed or not, and the npm packages of this repository. */
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandglass-release-'))
  clone = join(folder, 'sandglass')
  await copySources()
  await git('init', '--quiet')
  await git('config', 'user.name', 'Release Test')
  await git('config', 'user.email', 'release@example.invalid')
  await git('config', 'commit.gpgsign', 'false')
  await git('config', 'tag.gpgsign', 'false')
  await symlink(join(repository, 'node_modules'), join(clone, 'node_modules'))
  await appendFile(join(clone, '.git/info/exclude'), '\n/node_modules\n')
  await writeFile(
    join(clone, 'CHANGELOG.md'),
    '# Changelog\n\n## Unreleased\n\n- A hat for everybody.\n\n## 0.1.0 (2026-01-01)\n\n- The first.\n',
  )
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'What is being released')
  start = await git('rev-parse', 'HEAD')
})

after(() => rm(folder, { recursive: true }))

beforeEach(async () => {
  await git('reset', '--quiet', '--hard', start)
})

test('a release has its changelog section, one version everywhere, the pages, an archive, a commit and a tag', async () => {
  const { code, printed } = await release('0.2.0')
  assert.equal(code, 0, printed)
  const today = new Date().toISOString().slice(0, 10)
  const changelog = await readFile(join(clone, 'CHANGELOG.md'), 'utf8')
  const section =
    /^# Changelog\n\n## Unreleased\n\n## 0\.2\.0 \((.*)\)\n\n- A hat for everybody\.\n\n## 0\.1\.0/
  const [, date = ''] = section.exec(changelog) ?? []
  assert.ok(date !== '' && date <= today, changelog)

  const lockfile = Lockfile.parse(await readJson('package-lock.json'))
  assert.equal(lockfile.version, '0.2.0')
  for (const path of ['', 'apps/dashboard', 'packages/server']) {
    const manifest = await readJson(join(path, 'package.json'))
    for (const stated of [manifest, lockfile.packages[path]]) {
      const { version, dependencies = {} } = Versioned.parse(stated)
      assert.equal(version, '0.2.0', path)
      for (const [name, pinned] of Object.entries(dependencies))
        if (name.startsWith('@sandglass/')) assert.equal(pinned, '0.2.0', `${path} needs ${name}`)
    }
  }

  assert.equal(await git('status', '--porcelain'), '')
  assert.equal(await git('log', '-1', '--format=%s'), 'Release 0.2.0')
  assert.equal(await git('rev-parse', 'v0.2.0^{commit}'), await git('rev-parse', 'HEAD'))
  assert.equal(await git('cat-file', '-t', 'v0.2.0'), 'tag')

  const archive = join(clone, 'release/sandglass-0.2.0.tar.gz')
  const { stdout } = await promisify(execFile)('tar', ['--list', '--file', archive])
  const names = stdout.split('\n')
  for (const name of ['package.json', 'packages/server/src/main.ts', 'apps/dashboard/dist/view.html'])
    assert.ok(names.includes(`sandglass-0.2.0/${name}`), name)
  const packed = await promisify(execFile)('tar', ['-xOf', archive, 'sandglass-0.2.0/package.json'])
  assert.equal(JSON.parse(packed.stdout).version, '0.2.0')

  const sbom = Sbom.parse(await readJson('release/sandglass-0.2.0.cdx.json'))
  assert.deepEqual([sbom.bomFormat, sbom.metadata.component.version], ['CycloneDX', '0.2.0'])

  const again = await release('0.2.0')
  assert.equal(again.code, 1)
  assert.match(again.printed, /0\.2\.0 is not a version after 0\.2\.0/)
})

test('a dry run prints what would be done and changes nothing', async () => {
  const { code, printed } = await release('0.3.0', '--dry-run')
  assert.equal(code, 0, printed)
  assert.match(
    printed,
    /Would release 0\.3\.0[\s\S]*packages\/server\/package\.json[\s\S]*Nothing was changed\./,
  )
  assert.equal(await git('status', '--porcelain'), '')
  assert.equal(await git('rev-parse', 'HEAD'), start)
  assert.equal(await git('tag', '--list', 'v0.3.0'), '')
})

for (const version of ['0.1.0', '0.0.9', '0.1', '0.2.0-rc.1', 'v0.2.0', '00.2.0'])
  test(`the version ${version} is refused after 0.1.0`, async () => {
    const { code, printed } = await release(version)
    assert.equal(code, 1)
    assert.ok(printed.includes(`${version} is not a version after 0.1.0`), printed)
    assert.equal(await git('rev-parse', 'HEAD'), start)
  })

test('a tree with changes is refused, and the changes are listed', async () => {
  await appendFile(join(clone, 'README.md'), 'unfinished\n')
  const { code, printed } = await release('0.2.0')
  assert.equal(code, 1)
  assert.match(printed, /The working tree has changes[\s\S]*README\.md/)
})

test('a version whose tag exists is refused', async () => {
  await git('tag', 'v0.6.0')
  const { code, printed } = await release('0.6.0')
  assert.equal(code, 1)
  assert.match(printed, /The tag v0\.6\.0 already exists/)
})

test('a release without changes in the changelog is refused', async () => {
  await writeFile(join(clone, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- The first.\n')
  await git('commit', '--quiet', '--all', '--message', 'Nothing new')
  const { code, printed } = await release('0.5.0')
  assert.equal(code, 1)
  assert.match(printed, /nothing below "Unreleased"/)
})

test('a release whose pages cannot be built leaves everything as it was', async () => {
  await writeFile(join(clone, 'apps/dashboard/src/view.tsx'), "import './missing.ts'\n")
  await git('commit', '--quiet', '--all', '--message', 'Break the pages')
  const { code, printed } = await release('0.4.0')
  assert.equal(code, 1)
  assert.match(printed, /missing\.ts/)
  assert.equal(await git('status', '--porcelain'), '')
  assert.equal(await git('log', '-1', '--format=%s'), 'Break the pages')
  assert.equal(await git('tag', '--list', 'v0.4.0'), '')
})

async function release(...args: readonly string[]): Promise<Ended> {
  const script = join(clone, 'scripts/release.ts')
  return promisify(execFile)(process.execPath, [script, ...args], { cwd: clone }).then(
    ({ stdout, stderr }) => ({ code: 0, printed: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, printed: stdout + stderr }),
  )
}

async function git(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args, { cwd: clone })
  return stdout.trim()
}

/** Files that git does not know yet are copied too, so that the test is about the sources as they are. */
async function copySources(): Promise<void> {
  const list = ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout } = await promisify(execFile)('git', list, { cwd: repository, maxBuffer: 16 * 1024 * 1024 })
  for (const file of new Set(stdout.split('\0').filter(name => name !== ''))) {
    const source = join(repository, file)
    if (!existsSync(source)) continue
    await mkdir(dirname(join(clone, file)), { recursive: true })
    await copyFile(source, join(clone, file))
  }
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(join(clone, path), 'utf8'))
}
