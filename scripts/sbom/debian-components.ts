import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { imageFolder, readRecipe, recipesFolder } from '@sandglass/machines/images'
import { z } from 'zod'
import type { Component } from './component.ts'

const Shapes = z.object({ shapes: z.array(z.object({ engine: z.string(), image: z.string() })) })

/** The images that the built-in shapes are made from. */
export async function imageNames(root: string): Promise<readonly string[]> {
  const text = await readFile(join(root, 'packages/server/shapes.json'), 'utf8')
  const { shapes } = Shapes.parse(JSON.parse(text))
  return [...new Set(shapes.filter(({ engine }) => engine === 'local').map(({ image }) => image))].sort()
}

/**
 * An image with its Debian packages. They are installed from the releases of Debian when an image is built, so only a built
 * image has their versions. Of an image that is not built here, the packages that its recipe names are listed.
 */
export async function imageComponent(
  name: string,
  imagesDir: string,
  recipes = recipesFolder,
): Promise<Component> {
  // The name of an image contains the Debian release of the host, so a host without one has no images.
  const folder = await imageFolder(name, { recipesFolder: recipes }).catch(() => name)
  const root = join(imagesDir, folder)
  const status = await readFile(join(root, 'var/lib/dpkg/status'), 'utf8').catch(() => undefined)
  const image = { type: 'container', 'bom-ref': `image:${name}`, name: `sandglass-image-${name}` } as const
  if (status === undefined) {
    const { packages } = await readRecipe(name, recipes)
    const properties = [{ name: 'sandglass:built', value: 'false' }]
    return { ...image, properties, components: packages.map(each => debianComponent(name, { name: each })) }
  }
  const suite = /^VERSION_CODENAME=(\S+)/m.exec(await readFile(join(root, 'etc/os-release'), 'utf8'))?.[1]
  const components = installedPackages(status).map(each => debianComponent(name, { ...each, suite }))
  return { ...image, version: folder.slice(name.length + 1), components }
}

interface DebianPackage {
  readonly name: string
  readonly version?: string
  readonly architecture?: string
  readonly suite?: string | undefined
}

/** Reads the status file of dpkg: paragraphs of fields, of which a continued line begins with a space. */
function installedPackages(status: string): readonly DebianPackage[] {
  return status.split('\n\n').flatMap(paragraph => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(paragraph)?.[1]
    const [name, version, architecture] = [field('Package'), field('Version'), field('Architecture')]
    if (!field('Status')?.endsWith(' installed') || !name || !version || !architecture) return []
    return [{ name, version, architecture }]
  })
}

function debianComponent(image: string, { name, version, architecture, suite }: DebianPackage): Component {
  const qualifiers = Object.entries({ arch: architecture, distro: suite }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value}`],
  )
  const at = version === undefined ? '' : `@${encodeURIComponent(version)}`
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}${at}${qualifiers.length > 0 ? `?${qualifiers.join('&')}` : ''}`
  return {
    type: 'library',
    'bom-ref': `image:${image}:${purl}`,
    name,
    ...(version !== undefined && { version }),
    purl,
    scope: 'required',
  }
}
