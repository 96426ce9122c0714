import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from './service-process.ts'

const root = join(import.meta.dirname, '../..')
const exec = promisify(execFile)

/** Builds the published package unless it is up to date, and returns its folder. Test files that run at once wait for each other. */
export async function buildClient(): Promise<string> {
  const lock = join(root, 'node_modules/.build-client.lock')
  await exec('flock', [lock, process.execPath, join(root, 'scripts/build-client.ts')])
  return join(root, 'packages/client/dist')
}

export interface ClientProject {
  readonly folder: string
  /** The bytes of the packed package. */
  readonly tarball: string
}

/** An empty project in which the packed package is installed, as a user would, except that nothing is fetched. */
export async function installClient(): Promise<ClientProject> {
  const packages = await temporaryFolder()
  const npm = async (cwd: string, ...args: readonly string[]) =>
    exec('npm', [...args, '--cache', join(packages, 'cache')], { cwd })
  const pack = async (folder: string) =>
    npm(folder, 'pack', '--ignore-scripts', '--pack-destination', packages)
  await pack(await buildClient())
  await pack(join(root, 'node_modules/zod'))
  const tarballs = (await readdir(packages))
    .filter(name => name.endsWith('.tgz'))
    .map(name => join(packages, name))
  const folder = join(packages, 'project')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}\n')
  await npm(folder, 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs)
  return { folder, tarball: tarballs.find(path => /\/sandglass-[^/]*$/.test(path)) ?? '' }
}
