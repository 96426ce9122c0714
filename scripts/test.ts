import { glob, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EmbeddedPostgres } from '../packages/server/src/db/embedded/server.ts'
import { runFiles, type TestFile } from './tests/run-files.ts'

/**
 * Runs the tests whose path begins with one of the arguments. Without arguments it runs all tests: those of the server's
 * modules on an external PostgreSQL, as with DATABASE_URL, and all others on embedded ones. `npm run soak` runs those of
 * the modules on embedded ones too.
 */
const wanted = process.argv.slice(2)

/** These take longest, so they begin first and nothing waits for one of them at the end. */
const long = [
  'test/faults/faults.test.ts',
  'test/installation.test.ts',
  'test/leaks/leaks.test.ts',
  'test/hostile/hostile.test.ts',
  'packages/machines/src/engines/qemu/conformance.test.ts',
  'test/faults/environment-faults.test.ts',
  'test/dashboard/dashboard.test.ts',
  'test/chaos.test.ts',
  'test/effects/effects.test.ts',
  'test/openapi-walk.test.ts',
  'test/dismantle.test.ts',
  'packages/machines/src/engines/qemu/egress.test.ts',
  'packages/machines/src/engines/qemu/hostile.test.ts',
]

/** What these do takes minutes, and does not depend on where the database is. */
const machineStories = /\/modules\/(images|snapshots|volumes)\//

/** Hundreds of processes load the same sources, so they share compiled code. */
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/compiled')

const silent = { info: () => {}, warn: console.warn }

const paths: string[] = []
for await (const path of glob(['packages/*/src/**/*.test.ts', 'test/**/*.test.ts']))
  if (wanted.length === 0 || wanted.some(start => path.startsWith(start))) paths.push(path)
paths.sort()
if (paths.length === 0) throw new Error(`There is no test whose path begins with ${wanted.join(' or ')}.`)
const first = long.filter(path => paths.includes(path))
const inOrder = [...first, ...paths.filter(path => !first.includes(path))]

const folder = await mkdtemp(join(tmpdir(), 'sandglass-tests-'))
try {
  await makeCluster(join(folder, 'cluster'))
  if (wanted.length > 0) await runTests(inOrder.map(path => ({ path, env: {} })))
  else
    await onExternalDatabase(join(folder, 'postgres'), env =>
      runTests(inOrder.map(path => ({ path, env: isOfModule(path) ? env : {} }))),
    )
} finally {
  await rm(folder, { recursive: true })
}

/** Makes an embedded database that nobody uses, for `copyCluster`. */
async function makeCluster(cluster: string): Promise<void> {
  const server = await EmbeddedPostgres.start(cluster, silent)
  await server.stop()
  process.env['TEST_CLUSTER'] = cluster
}

function isOfModule(path: string): boolean {
  return path.startsWith('packages/server/src/modules') && !machineStories.test(path)
}

async function onExternalDatabase(
  data: string,
  work: (env: TestFile['env']) => Promise<void>,
): Promise<void> {
  const server = await EmbeddedPostgres.start(data, silent)
  try {
    const host = encodeURIComponent(data)
    await work({ TEST_DATABASE_URL: `postgres://sandglass@localhost/postgres?host=${host}` })
  } finally {
    await server.stop()
  }
}

async function runTests(files: readonly TestFile[]): Promise<void> {
  const totals = await runFiles(files)
  if (!totals.isPassed) process.exitCode = 1
  console.log('The files that took longest:')
  for (const line of totals.slowest) console.log(line)
}
