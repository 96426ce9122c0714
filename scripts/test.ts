import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { glob, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EmbeddedPostgres } from '../packages/server/src/db/embedded/server.ts'

/**
 * Runs the tests whose path begins with one of the arguments. Without arguments it runs all tests, and first those of
 * the server against an external PostgreSQL, as with DATABASE_URL.
 */
const wanted = process.argv.slice(2)

/** Hundreds of processes load the same sources, so they share compiled code. */
const compileCache = join(import.meta.dirname, '../node_modules/.cache/compiled')
const files: string[] = []
for await (const file of glob(['packages/*/src/**/*.test.ts', 'test/**/*.test.ts']))
  if (wanted.length === 0 || wanted.some(start => file.startsWith(start))) files.push(file)
files.sort()

/** What these do takes minutes, and does not depend on where the database is. */
const machineStories = /\/modules\/(images|snapshots|volumes)\//

if (wanted.length === 0)
  await onExternalDatabase(
    files.filter(file => file.startsWith('packages/server/src/modules') && !machineStories.test(file)),
  )
const code = await run(files)
process.exitCode ||= code

async function onExternalDatabase(some: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-external-'))
  const server = await EmbeddedPostgres.start(join(folder, 'postgres'), {
    info: () => {},
    warn: console.warn,
  })
  try {
    const url = `postgres://sandglass@localhost/postgres?host=${encodeURIComponent(join(folder, 'postgres'))}`
    console.log('Against an external PostgreSQL (DATABASE_URL):')
    process.exitCode = await run(some, { TEST_DATABASE_URL: url })
  } finally {
    await server.stop()
    await rm(folder, { recursive: true })
  }
}

async function run(some: readonly string[], env: Record<string, string> = {}): Promise<number> {
  const args = ['--test', '--test-concurrency=2', '--test-timeout=900000', ...some]
  const [code] = await once(
    spawn(process.execPath, args, {
      stdio: 'inherit',
      env: { NODE_COMPILE_CACHE: compileCache, ...process.env, ...env },
    }),
    'exit',
  )
  return code ?? 1
}
