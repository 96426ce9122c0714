import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { temporaryFolder } from './service-process.ts'

const run = promisify(execFile)
const here = resolve(import.meta.dirname, '../..')

export interface Release {
  readonly version: string
  /** A folder with its sources and packages, from which it can be started. */
  readonly checkout: string
}

/** Checks out the latest release that this version comes after. It is removed after the tests. */
export async function latestRelease(): Promise<Release> {
  const { version, commit } = await findRelease()
  const checkout = await temporaryFolder()
  // The front and the workers are users without rights, who run the programs in it.
  await chmod(checkout, 0o755)
  const archive = join(checkout, 'sources.tar')
  await git('archive', '--output', archive, commit)
  await run('tar', ['-xf', archive, '-C', checkout])
  await rm(archive)
  if (await needsOnlyWhatIsHere(checkout)) await lendPackages(checkout)
  else await run('node', ['scripts/install.mjs'], { cwd: checkout })
  return { version, checkout }
}

async function findRelease(): Promise<{ readonly version: string; readonly commit: string }> {
  const tags = await git(
    'tag',
    '--merged',
    'HEAD',
    '--sort=-version:refname',
    '--format=%(refname:short) %(refname:short)',
  )
  // Commits are found in a clone without tags, too.
  const commits = await git('log', '--format=%H %s')
  for (const [lines, pattern] of [
    [tags, /^(\S+) v(\d+\.\d+\.\d+)$/m],
    [commits, /^(\S+) Release (\d+\.\d+\.\d+)$/m],
  ] as const) {
    const [, commit, version] = pattern.exec(lines) ?? []
    if (commit && version) return { commit, version }
  }
  throw new Error(
    'The history has no release from which the upgrade could be tried. Fetch it: git fetch --tags --unshallow',
  )
}

async function git(...args: readonly string[]): Promise<string> {
  // The checkout may belong to another user than the one who tests.
  const all = ['-c', 'safe.directory=*', '-C', here, ...args]
  const { stdout } = await run('git', all, { maxBuffer: 64 * 1024 * 1024 }).catch(cause => {
    throw new Error(
      `Upgrades from the latest release are tested in a clone, since its sources are in the history: ${cause.stderr || cause.message}`,
      { cause },
    )
  })
  return stdout
}

const Packages = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      integrity: z.string().optional(),
      resolved: z.string().optional(),
      link: z.boolean().optional(),
      dev: z.boolean().optional(),
    }),
  ),
})

async function packagesOf(checkout: string) {
  return Packages.parse(JSON.parse(await readFile(join(checkout, 'package-lock.json'), 'utf8'))).packages
}

/** Whether all packages that the service of a checkout needs are installed here, in the same versions. */
async function needsOnlyWhatIsHere(checkout: string): Promise<boolean> {
  const installed = await packagesOf(here)
  return Object.entries(await packagesOf(checkout)).every(([path, { dev, ...wanted }]) => {
    if (dev || !path.includes('node_modules/')) return true
    const { dev: _, ...found } = installed[path] ?? {}
    return JSON.stringify(found) === JSON.stringify(wanted)
  })
}

/**
 * Shows the installed packages in a checkout, whose own packages they find by relative links. Nothing can be written to them
 * there, so that whoever removes the checkout does not remove them.
 */
async function lendPackages(checkout: string): Promise<void> {
  const place = join(checkout, 'node_modules')
  await mkdir(place)
  await run('mount', ['--bind', join(here, 'node_modules'), place])
  cleanup.defer(() => run('umount', ['-l', place]).then(() => {}))
  await run('mount', ['-o', 'remount,bind,ro', place])
}
