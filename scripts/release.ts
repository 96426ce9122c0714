import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { releaseChangelog } from './release/changelog.ts'
import { currentVersion, setVersion, versionedFiles } from './release/manifests.ts'
import { run } from './release/run.ts'
import { packSources } from './release/source-archive.ts'
import { isNextVersion } from './release/version.ts'
import { builtImagesFolder } from './sbom/images-folder.ts'
import { describeSbom, writeSbom } from './sbom/write-sbom.ts'

const usage = `npm run release -- 0.2.0             releases the version: changelog, package versions, pages, archive, commit and tag
npm run release -- 0.2.0 --dry-run   checks and prints what would be done, and changes nothing
See contributing/release.md.`

const root = join(import.meta.dirname, '..')
const changelog = 'CHANGELOG.md'

/** `npm run release`. Nothing is pushed, so that a person can look at the commit and the tag first. */
try {
  const { version, isDryRun } = readArguments()
  await release(version, isDryRun)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function readArguments(): { version: string; isDryRun: boolean } {
  const { values, positionals } = parseArgs({
    options: { 'dry-run': { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const [version, ...others] = positionals
  if (version === undefined || others.length > 0) throw new Error(usage)
  return { version, isDryRun: values['dry-run'] }
}

async function release(version: string, isDryRun: boolean): Promise<void> {
  const tag = `v${version}`
  await refuseUnlessReady(version, tag)
  const date = new Date().toISOString().slice(0, 10)
  const released = releaseChangelog(await readFile(join(root, changelog), 'utf8'), version, date)
  const files = [changelog, ...(await versionedFiles(root))]
  if (isDryRun) {
    const lines = [`Would release ${version} (${date}):`, ...files.map(file => `  change ${file}`)]
    const steps = [
      '  build the pages',
      `  pack release/sandglass-${version}.tar.gz`,
      `  write release/sandglass-${version}.cdx.json`,
      `  commit and tag ${tag}`,
    ]
    console.log([...lines, ...steps, 'Nothing was changed.'].join('\n'))
    return
  }
  try {
    await writeFile(join(root, changelog), released)
    await setVersion(root, version)
    console.log(await run(root, process.execPath, 'scripts/build-pages.ts'))
    await run(root, 'git', 'add', '--', ...files)
    const sbom = await writeSbom(root, builtImagesFolder(root))
    const archive = await packSources(root, version, await run(root, 'git', 'write-tree'))
    await run(root, 'git', 'commit', '--quiet', '--message', `Release ${version}`)
    await run(root, 'git', 'tag', '--annotate', tag, '--message', `Sandglass ${version}`)
    console.log(
      `Released ${version}: ${archive}\n${describeSbom(sbom)}\nTo publish it: git push --follow-tags`,
    )
  } catch (error) {
    await run(root, 'git', 'restore', '--staged', '--worktree', '--', ...files)
    throw error
  }
}

async function refuseUnlessReady(version: string, tag: string): Promise<void> {
  const current = await currentVersion(root)
  if (!isNextVersion(version, current))
    throw new Error(`${version} is not a version after ${current}. Use three numbers, such as 0.2.0.`)
  const changes = await run(root, 'git', 'status', '--porcelain')
  if (changes !== '')
    throw new Error(`The working tree has changes. Commit or remove them first:\n${changes}`)
  if ((await run(root, 'git', 'tag', '--list', tag)) !== '')
    throw new Error(`The tag ${tag} already exists. Choose the next version.`)
}
