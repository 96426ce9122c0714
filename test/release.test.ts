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
const { version: current } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
const [major, minor] = current.split('.').map(Number)
/** Versions after it. Tags stay from test to test, so each has its own. */
const later = (steps: number) => `${major}.${minor + steps}.0`
const next = later(1)

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
    `# Changelog\n\n## Unreleased\n\n- A hat for everybody.\n\n## ${current} (2026-01-01)\n\n- The one before.\n`,
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
  const { code, printed } = await release(next)
  assert.equal(code, 0, printed)
  const today = new Date().toISOString().slice(0, 10)
  const changelog = await readFile(join(clone, 'CHANGELOG.md'), 'utf8')
  const [, date = ''] = /^## \S+ \((.*)\)$/m.exec(changelog) ?? []
  assert.ok(date !== '' && date <= today, changelog)
  const section = `# Changelog\n\n## Unreleased\n\n## ${next} (${date})\n\n- A hat for everybody.\n\n## ${current}`
  assert.ok(changelog.startsWith(section), changelog)

  const lockfile = Lockfile.parse(await readJson('package-lock.json'))
  assert.equal(lockfile.version, next)
  for (const path of ['', 'apps/dashboard', 'packages/server']) {
    const manifest = await readJson(join(path, 'package.json'))
    for (const stated of [manifest, lockfile.packages[path]]) {
      const { version, dependencies = {} } = Versioned.parse(stated)
      assert.equal(version, next, path)
      for (const [name, pinned] of Object.entries(dependencies))
        if (name.startsWith('@sandglass/')) assert.equal(pinned, next, `${path} needs ${name}`)
    }
  }

  assert.equal(await git('status', '--porcelain'), '')
  assert.equal(await git('log', '-1', '--format=%s'), `Release ${next}`)
  assert.equal(await git('rev-parse', `v${next}^{commit}`), await git('rev-parse', 'HEAD'))
  assert.equal(await git('cat-file', '-t', `v${next}`), 'tag')

  const archive = join(clone, `release/sandglass-${next}.tar.gz`)
  const { stdout } = await promisify(execFile)('tar', ['--list', '--file', archive])
  const names = stdout.split('\n')
  for (const name of ['package.json', 'packages/server/src/main.ts', 'apps/dashboard/dist/view.html'])
    assert.ok(names.includes(`sandglass-${next}/${name}`), name)
  const packed = await promisify(execFile)('tar', ['-xOf', archive, `sandglass-${next}/package.json`])
  assert.equal(JSON.parse(packed.stdout).version, next)

  const sbom = Sbom.parse(await readJson(`release/sandglass-${next}.cdx.json`))
  assert.deepEqual([sbom.bomFormat, sbom.metadata.component.version], ['CycloneDX', next])

  const again = await release(next)
  assert.equal(again.code, 1)
  assert.ok(again.printed.includes(`${next} is not a version after ${next}`), again.printed)
})

test('a dry run prints what would be done and changes nothing', async () => {
  const { code, printed } = await release(later(2), '--dry-run')
  assert.equal(code, 0, printed)
  assert.ok(printed.includes(`Would release ${later(2)}`), printed)
  assert.match(printed, /packages\/server\/package\.json[\s\S]*Nothing was changed\./)
  assert.equal(await git('status', '--porcelain'), '')
  assert.equal(await git('rev-parse', 'HEAD'), start)
  assert.equal(await git('tag', '--list', `v${later(2)}`), '')
})

for (const version of [current, '0.0.9', `${major}.${minor}`, `${next}-rc.1`, `v${next}`, `0${next}`])
  test(`the version ${version} is refused after ${current}`, async () => {
    const { code, printed } = await release(version)
    assert.equal(code, 1)
    assert.ok(printed.includes(`${version} is not a version after ${current}`), printed)
    assert.equal(await git('rev-parse', 'HEAD'), start)
  })

test('a tree with changes is refused, and the changes are listed', async () => {
  await appendFile(join(clone, 'README.md'), 'unfinished\n')
  const { code, printed } = await release(next)
  assert.equal(code, 1)
  assert.match(printed, /The working tree has changes[\s\S]*README\.md/)
})

test('a version whose tag exists is refused', async () => {
  await git('tag', `v${later(6)}`)
  const { code, printed } = await release(later(6))
  assert.equal(code, 1)
  assert.ok(printed.includes(`The tag v${later(6)} already exists`), printed)
})

test('a release without changes in the changelog is refused', async () => {
  await writeFile(
    join(clone, 'CHANGELOG.md'),
    `# Changelog\n\n## Unreleased\n\n## ${current}\n\n- The one before.\n`,
  )
  await git('commit', '--quiet', '--all', '--message', 'Nothing new')
  const { code, printed } = await release(later(5))
  assert.equal(code, 1)
  assert.match(printed, /nothing below "Unreleased"/)
})

test('a release whose pages cannot be built leaves everything as it was', async () => {
  await writeFile(join(clone, 'apps/dashboard/src/view.tsx'), "import './missing.ts'\n")
  await git('commit', '--quiet', '--all', '--message', 'Break the pages')
  const { code, printed } = await release(later(4))
  assert.equal(code, 1)
  assert.match(printed, /missing\.ts/)
  assert.equal(await git('status', '--porcelain'), '')
  assert.equal(await git('log', '-1', '--format=%s'), 'Break the pages')
  assert.equal(await git('tag', '--list', `v${later(4)}`), '')
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
