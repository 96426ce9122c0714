import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './run.ts'

/**
 * Packs the files of a git tree and the built pages into `release/sandglass-VERSION.tar.gz`. The pages are included so that the
 * first `npm start` does not have to build them. Nothing is published to a registry: every package is private.
 */
export async function packSources(root: string, version: string, tree: string): Promise<string> {
  const name = `sandglass-${version}`
  const archive = join('release', `${name}.tar`)
  await mkdir(join(root, 'release'), { recursive: true })
  await run(root, 'git', 'archive', '--format=tar', `--prefix=${name}/`, `--output=${archive}`, tree)
  const owner = ['--owner=0', '--group=0', '--numeric-owner']
  await run(
    root,
    'tar',
    '--append',
    `--file=${archive}`,
    `--transform=s,^,${name}/,`,
    ...owner,
    'apps/dashboard/dist',
    'apps/dashboard/dist-guide',
  )
  await rm(join(root, `${archive}.gz`), { force: true })
  await run(root, 'gzip', '-9', '--no-name', archive)
  return `${archive}.gz`
}
