import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { currentVersion } from '../release/manifests.ts'
import type { Component } from './component.ts'
import { imageComponent, imageNames } from './debian-components.ts'
import { npmComponents } from './npm-components.ts'

export interface WrittenSbom {
  /** The path of the document, relative to the repository. */
  readonly file: string
  readonly npmPackages: number
  readonly images: readonly Component[]
}

/** Writes the software bill of materials of this version as a CycloneDX 1.6 document. */
export async function writeSbom(root: string, imagesDir: string): Promise<WrittenSbom> {
  const version = await currentVersion(root)
  const npm = await npmComponents(root)
  const images: Component[] = []
  for (const name of await imageNames(root)) images.push(await imageComponent(name, imagesDir))
  const application: Component = {
    type: 'application',
    'bom-ref': 'sandglass',
    name: 'sandglass',
    version,
    licenses: [{ expression: 'Apache-2.0' }],
  }
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { timestamp: new Date().toISOString(), component: application },
    components: [...npm, ...images],
  }
  const file = join('release', `sandglass-${version}.cdx.json`)
  await mkdir(dirname(join(root, file)), { recursive: true })
  await writeFile(join(root, file), `${JSON.stringify(document, null, 2)}\n`)
  return { file, npmPackages: npm.length, images }
}

/** Describes what the document contains, for the person who wrote it. */
export function describeSbom({ file, npmPackages, images }: WrittenSbom): string {
  const lines = images.map(({ name, version, components = [] }) =>
    version === undefined
      ? `  ${name}: not built here, so only the ${components.length} packages of its recipe, without versions`
      : `  ${name}: ${components.length} Debian packages`,
  )
  return [`${file}:`, `  ${npmPackages} npm packages`, ...lines].join('\n')
}
