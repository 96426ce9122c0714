import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The oldest Node that the client supports. It is a package, as the Node of the repository is, only below the client's own. */
export function node20(): string {
  const require = createRequire(join(import.meta.dirname, '../../packages/client/package.json'))
  return join(dirname(require.resolve(`node-linux-${process.arch}/package.json`)), 'bin/node')
}
