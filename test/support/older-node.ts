import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The Node that is a package below one of ours. The Node of the repository is a package as well, above all of them. */
export function nodeBelow(ours: string): string {
  const require = createRequire(join(import.meta.dirname, `../../packages/${ours}/package.json`))
  return join(dirname(require.resolve(`node-linux-${process.arch}/package.json`)), 'bin/node')
}
