import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const Versions = z.record(z.string(), z.string())

const Manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  dependencies: Versions.optional(),
  devDependencies: Versions.optional(),
})
type Manifest = z.infer<typeof Manifest>

/** An entry of a workspace has a version; the links in node_modules to workspaces have none. */
const Lockfile = z.looseObject({
  version: z.string(),
  packages: z.record(z.string(), z.looseObject({ version: z.string().optional() })),
})

/** The files of the repository that state its version: the lockfile and the package.json of the root and of each workspace. */
export async function versionedFiles(root: string): Promise<readonly string[]> {
  const files: string[] = []
  for await (const file of glob('{apps,packages}/*/package.json', { cwd: root })) files.push(file)
  return ['package.json', 'package-lock.json', ...files.sort()]
}

/** The version of the repository, which all its packages share. */
export async function currentVersion(root: string): Promise<string> {
  return Manifest.parse(await readJson(join(root, 'package.json'))).version
}

/** Sets the version in all of them. Workspaces depend on exactly one version of each other, so those entries change too. */
export async function setVersion(root: string, version: string): Promise<void> {
  for (const file of await versionedFiles(root)) {
    const path = join(root, file)
    const json = await readJson(path)
    await writeJson(
      path,
      file === 'package-lock.json'
        ? withLockedVersion(json, version)
        : withVersion(Manifest.parse(json), version),
    )
  }
}

function withLockedVersion(json: unknown, version: string): unknown {
  const lockfile = Lockfile.parse(json)
  const packages = Object.entries(lockfile.packages).map(([path, entry]) => [
    path,
    path.includes('node_modules/') ? entry : withVersion(Manifest.parse(entry), version),
  ])
  return { ...lockfile, version, packages: Object.fromEntries(packages) }
}

function withVersion(manifest: Manifest, version: string): Manifest {
  const { dependencies, devDependencies } = manifest
  return {
    ...manifest,
    version,
    ...(dependencies && { dependencies: withOwnVersions(dependencies, version) }),
    ...(devDependencies && { devDependencies: withOwnVersions(devDependencies, version) }),
  }
}

function withOwnVersions(versions: z.infer<typeof Versions>, version: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(versions).map(([name, other]) => [name, name.startsWith('@sandglass/') ? version : other]),
  )
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, 'utf8'))
}

/** As npm writes it. */
async function writeJson(path: string, json: unknown): Promise<void> {
  await writeFile(path, `${JSON.stringify(json, undefined, 2)}\n`)
}
