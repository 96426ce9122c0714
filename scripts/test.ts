import { glob, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EmbeddedPostgres } from '../packages/server/src/db/embedded/server.ts'
import { embeddedFolder } from '../packages/server/src/service-database.ts'
import { createDatabase } from '../packages/server/src/testing/database.ts'
import { buildImages } from './tests/build-images.ts'
import { check } from './tests/check.ts'
import { prepareToCopy } from './tests/prepare-database.ts'
import { runFiles, type TestFile } from './tests/run-files.ts'

/**
 * Runs the tests whose path begins with one of the arguments. Without arguments it checks the code and runs all tests:
 * those of the server's modules on an external PostgreSQL, as with DATABASE_URL, and all others on embedded ones.
 * `npm run soak:tests` runs those of the modules on embedded ones too.
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
  'test/guide/how-to.test.ts',
  'test/guide/tutorial.test.ts',
]

/** What these do takes minutes, and does not depend on where the database is. */
const machineStories = /\/modules\/(images|snapshots|volumes)\//

/** Hundreds of processes load the same sources, so they share compiled code. */
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/compiled')

/** Each service has a pool of ten connections, and some tests have several services. */
const externalConnections = 200

const silent = { info: () => {}, warn: console.warn }

const paths: string[] = []
for await (const path of glob(['packages/*/src/**/*.test.ts', 'test/**/*.test.ts']))
  if (wanted.length === 0 || wanted.some(start => path.startsWith(start))) paths.push(path)
paths.sort()
if (paths.length === 0) throw new Error(`There is no test whose path begins with ${wanted.join(' or ')}.`)
const first = long.filter(path => paths.includes(path))
const others = paths.filter(path => !first.includes(path))
// Most tests of the whole take longer than those of a package, which fill what is left of the processors at the end.
const ofWhole = others.filter(path => path.startsWith('test/'))
const inOrder = [...first, ...ofWhole, ...others.filter(path => !ofWhole.includes(path))]

if (wanted.length > 0) await runTests(inOrder.map(path => ({ path, env: {} })))
else await runAll()

/** Images are built beside the checks and those tests that need none. */
async function runAll(): Promise<void> {
  const stop = new AbortController()
  const images = buildImages(stop.signal)
  try {
    if (await check())
      await onExternalDatabase(env =>
        runTests(inOrder.map(path => ({ path, env: isOfModule(path) ? env : {} }))),
      )
    else process.exitCode = 1
  } finally {
    stop.abort()
    await images
  }
}

function isOfModule(path: string): boolean {
  return path.startsWith('packages/server/src/modules') && !machineStories.test(path)
}

async function onExternalDatabase(work: (env: TestFile['env']) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-external-'))
  const server = await EmbeddedPostgres.start(join(folder, 'postgres'), silent, {
    maxConnections: externalConnections,
  })
  try {
    const host = encodeURIComponent(join(folder, 'postgres'))
    const url = `postgres://sandglass@localhost/postgres?host=${host}`
    const prepared = await createDatabase(url)
    await prepareToCopy({ DATABASE_URL: prepared.url })
    await work({ TEST_DATABASE_URL: url, TEST_DATABASE_TEMPLATE: prepared.name })
  } finally {
    await server.stop()
    await rm(folder, { recursive: true })
  }
}

async function runTests(files: readonly TestFile[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-prepared-'))
  try {
    // An embedded database that nobody uses, which `copyCluster` copies.
    const cluster = embeddedFolder(folder)
    const server = await EmbeddedPostgres.start(cluster, silent)
    await prepareToCopy({ SANDGLASS_DATA: folder })
    await server.stop()
    process.env['TEST_CLUSTER'] = cluster
    const totals = await runFiles(files)
    if (!totals.isPassed) process.exitCode = 1
    console.log('The files that took longest:')
    for (const line of totals.slowest) console.log(line)
    console.log('The files that took most processor time, without that of machines:')
    for (const line of totals.busiest) console.log(line)
  } finally {
    await rm(folder, { recursive: true })
  }
}
