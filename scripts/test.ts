import { glob, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { EmbeddedPostgres } from '../packages/server/src/db/embedded/server.ts'

/**
 * Runs the tests whose path begins with one of the arguments. Without arguments it runs all tests: those of the server's
 * modules on an external PostgreSQL, as with DATABASE_URL, and all others on embedded ones. `npm run soak:tests` runs those of
 * the modules on embedded ones too.
 */
const wanted = process.argv.slice(2)

/** These take longest, so they begin first and nothing waits for one of them at the end. */
const long = [
  'test/faults/faults.test.ts',
  'test/leaks/leaks.test.ts',
  'test/hostile/hostile.test.ts',
  'test/faults/environment-faults.test.ts',
  'test/chaos.test.ts',
  'test/dismantle.test.ts',
  'test/effects/effects.test.ts',
]

/** How many of the slowest files are named at the end, which is where time can be saved. */
const shown = 25

/** Many tests wait for a time limit to pass, so that one more file than there are cores keeps them busy. */
const atOnce = availableParallelism() + 1

/** What these do takes minutes, and does not depend on where the database is. */
const machineStories = /\/modules\/(images|snapshots|volumes)\//

/** Hundreds of processes load the same sources, so they share compiled code. */
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/compiled')

const files: string[] = []
for await (const file of glob(['packages/*/src/**/*.test.ts', 'test/**/*.test.ts']))
  if (wanted.length === 0 || wanted.some(start => file.startsWith(start))) files.push(file)
files.sort()
if (files.length === 0) throw new Error(`There is no test whose path begins with ${wanted.join(' or ')}.`)

if (wanted.length > 0) await runTests(files)
else {
  const ofModules = (file: string) =>
    file.startsWith('packages/server/src/modules') && !machineStories.test(file)
  await onExternalDatabase(() => runTests(files.filter(ofModules)))
  await runTests(files.filter(file => !ofModules(file)))
}

async function onExternalDatabase(work: () => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-external-'))
  const server = await EmbeddedPostgres.start(join(folder, 'postgres'), {
    info: () => {},
    warn: console.warn,
  })
  try {
    console.log('Against an external PostgreSQL (DATABASE_URL):')
    process.env['TEST_DATABASE_URL'] =
      `postgres://sandglass@localhost/postgres?host=${encodeURIComponent(join(folder, 'postgres'))}`
    await work()
  } finally {
    delete process.env['TEST_DATABASE_URL']
    await server.stop()
    await rm(folder, { recursive: true })
  }
}

async function runTests(some: readonly string[]): Promise<void> {
  const first = long.filter(file => some.includes(file))
  const events = run({
    files: [...first, ...some.filter(file => !first.includes(file))],
    concurrency: atOnce,
    timeout: 900_000,
  })
  events.on('test:fail', ({ name, details: { error } }) => {
    process.exitCode = 1
    // The report has it only at its end.
    const { cause = error } = error
    console.error(`${name}: ${cause instanceof Error ? cause.stack : cause}`)
  })
  const took: { file: string; ms: number }[] = []
  events.on('test:summary', ({ file, duration_ms }) => {
    if (file) took.push({ file: relative(process.cwd(), file), ms: duration_ms })
  })
  const report = events.compose(new spec())
  report.pipe(process.stdout)
  await finished(report)
  const slowest = took.toSorted((a, b) => b.ms - a.ms).slice(0, shown)
  console.log('The files that took longest:')
  for (const { file, ms } of slowest) console.log(`${(ms / 1000).toFixed(0).padStart(5)} s  ${file}`)
}
