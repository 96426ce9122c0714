import { createHash } from 'node:crypto'
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'

/**
 * A folder under images/ with a `recipe.json`, a `customize` script that runs in the new system, and `files` that are
 * copied over it.
 */
export interface Recipe {
  readonly name: string
  readonly folder: string
  readonly description: string
  readonly packages: readonly string[]
  /** Further packages by release, which that release has only in its backports. */
  readonly backports: Readonly<Record<string, readonly string[]>>
  /** Paths that dpkg does not unpack, as dpkg patterns. */
  readonly exclude: readonly string[]
}

/** The script that runs last in the images that have a display. */
export const displayScript = join(import.meta.dirname, 'display_caches.py')

export const hasDisplay = ({ packages }: Recipe) => packages.includes('tigervnc-standalone-server')

export const recipesFolder = join(import.meta.dirname, '../../../../images')

const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

export async function readRecipe(name: string, folder = recipesFolder): Promise<Recipe> {
  const path = join(folder, name)
  const read: unknown = JSON.parse(await readFile(join(path, 'recipe.json'), 'utf8'))
  const recipe = new Map(Object.entries(read ?? {}))
  return {
    name,
    folder: path,
    description: String(recipe.get('description') ?? ''),
    packages: strings(recipe.get('packages')),
    backports: Object.fromEntries(
      Object.entries(recipe.get('backports') ?? {}).map(([suite, names]) => [suite, strings(names)]),
    ),
    exclude: strings(recipe.get('exclude')),
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter(entry => !entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
}

/** Hashes every file that makes the image, the release and the architecture, so that a changed recipe gives a new image. */
export async function digestOf(recipe: Recipe, suite: string): Promise<string> {
  const hash = createHash('sha256').update(`${suite} ${process.arch}\0`)
  for (const path of await filesBelow(recipe.folder)) {
    const { mode } = await stat(path).catch(() => ({ mode: 0 }))
    const content = await readFile(path).catch(() => readlink(path))
    hash
      .update(`${relative(recipe.folder, path)}\0${mode & 0o111 ? 'x' : '-'}\0`)
      .update(content)
      .update('\0')
  }
  if (hasDisplay(recipe)) hash.update(await readFile(displayScript))
  return hash.digest('hex').slice(0, 12)
}
