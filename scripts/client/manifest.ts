import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { currentVersion } from '../release/manifests.ts'
import type { Entry } from './entries.ts'

const Protocol = z.object({ dependencies: z.object({ zod: z.string() }) })

/** The package.json of the published package. Its types are derived from zod schemas, so it depends on zod. */
export async function manifestOf(root: string, entries: readonly Entry[]): Promise<unknown> {
  const protocol = await readFile(join(root, 'packages/protocol/package.json'), 'utf8')
  const { zod } = Protocol.parse(JSON.parse(protocol)).dependencies
  const libraries = entries.filter(({ name }) => name !== 'cli')
  return {
    name: 'sandglass',
    version: await currentVersion(root),
    description:
      'Drive sandboxes of a Sandglass service: screens, programs, files and ports of real machines.',
    keywords: ['sandbox', 'computer-use', 'mobile-use', 'agent', 'automation'],
    license: 'Apache-2.0',
    type: 'module',
    engines: { node: '>=20' },
    exports: {
      ...Object.fromEntries(libraries.map(entry => [pathOf(entry), filesOf(entry)])),
      './package.json': './package.json',
    },
    ...(libraries.length < entries.length && { bin: { sandglass: 'cli.js' } }),
    files: ['*.js', 'shared', 'types'],
    sideEffects: false,
    dependencies: { zod: `^${zod}` },
  }
}

function pathOf({ name }: Entry): string {
  return name === 'index' ? '.' : `./${name}`
}

function filesOf({ name, source }: Entry): Readonly<Record<string, string>> {
  const types = source.replace(/^packages\//, './types/').replace(/\.ts$/, '.d.ts')
  return { types, default: `./${name}.js` }
}
