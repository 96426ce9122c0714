import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Declaration, readDeclarations } from './read-declarations.ts'

const folder = join(import.meta.dirname, '../../packages/client/src')

const texts = globSync('**/*.ts', { cwd: folder })
  .filter(file => !file.endsWith('.test.ts') && !file.startsWith('tools/'))
  .sort()
  .map(file => readFileSync(join(folder, file), 'utf8'))

/** The classes and interfaces of the client by name. */
export const declarations: ReadonlyMap<string, Declaration> = new Map(
  texts.flatMap(readDeclarations).map(declaration => [declaration.name, declaration]),
)

/** The codes of errors that the client makes itself. */
export const clientCodes: readonly string[] = [
  ...new Set(texts.flatMap(text => [...text.matchAll(/'(client\.[A-Z_]+)'/g)].map(([, code = '']) => code))),
].sort()

/** The value of a constant that is a number. */
export function constantOf(name: string): number {
  for (const text of texts) {
    const [, value] = new RegExp(`^const ${name} = ([\\d_]+)$`, 'm').exec(text) ?? []
    if (value !== undefined) return Number(value.replaceAll('_', ''))
  }
  throw new Error(
    `The client has no constant ${name} any more. Change docs/client.md, which scripts/client-page.ts writes.`,
  )
}

/** The first classes, and every class and interface that can be reached from them by what their members say. */
export function reachableFrom(names: readonly string[]): readonly Declaration[] {
  const found = new Set(names)
  for (const name of found)
    for (const word of wordsOf(declarations.get(name))) if (declarations.has(word)) found.add(word)
  return [...found].flatMap(name => declarations.get(name) ?? [])
}

function wordsOf(declaration: Declaration | undefined): readonly string[] {
  if (!declaration) return []
  const texts = [...declaration.parents, ...declaration.members.map(({ signature }) => signature)]
  return texts.flatMap(text => text.match(/\b[A-Z]\w+/g) ?? [])
}
