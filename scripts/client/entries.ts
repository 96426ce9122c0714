import { existsSync } from 'node:fs'
import { join } from 'node:path'

export interface Entry {
  /** The file of the built package, without its ending. */
  readonly name: 'index' | 'tools' | 'cli'
  readonly source: string
}

const all: readonly Entry[] = [
  { name: 'index', source: 'packages/client/src/index.ts' },
  { name: 'tools', source: 'packages/client/src/tools/index.ts' },
  { name: 'cli', source: 'packages/cli/src/main.ts' },
]

/** The modules that the published package consists of. */
export function entriesOf(root: string): readonly Entry[] {
  return all.filter(({ source }) => existsSync(join(root, source)))
}
