import { setMaxListeners } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { spec, type TestEvent } from 'node:test/reporters'
import { atIdle } from './at-idle.ts'
import { Totals } from './totals.ts'

/** A file of tests, and what its process finds in its environment besides our own variables. */
export interface TestFile {
  readonly path: string
  readonly env: Readonly<Record<string, string>>
}

/** A file that takes longer is stuck. */
const timeoutMs = 900_000

/** What each process of tests loads first: what finds its hundreds of modules faster, and what reports its time. */
const preloads = ['../../packages/server/src/host/quick-imports.ts', 'report-time.ts'].map(
  path => `--import=${join(import.meta.dirname, path)}`,
)

/**
 * Runs each file in a process of its own, begins them in this order, and prints a report. The tests of a file are reported
 * together when all of them have ended, and a failure also at once.
 */
export async function runFiles(files: readonly TestFile[]): Promise<Totals> {
  // Each run listens for the end of this process.
  setMaxListeners(0, process)
  const report = new spec()
  report.pipe(process.stdout)
  const totals = new Totals()
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-test-times-'))
  try {
    await atIdle([...files.entries()], async ([number, file]) => {
      for (const event of await runFile(file, join(folder, String(number)), totals)) report.write(event)
    })
  } finally {
    await rm(folder, { recursive: true })
  }
  for (const message of totals.lines)
    report.write({ type: 'test:diagnostic', data: { nesting: 0, message, level: 'info' } })
  report.end()
  await finished(report)
  return totals
}

async function runFile({ path, env }: TestFile, timeFile: string, totals: Totals): Promise<TestEvent[]> {
  const tests = run({
    files: [path],
    execArgv: preloads,
    env: { ...process.env, ...env, SANDGLASS_TEST_TIME: timeFile },
    concurrency: 1,
    timeout: timeoutMs,
  })
  const events: TestEvent[] = []
  tests.on('data', (event: TestEvent) => {
    if (isOfTest(event)) events.push(event)
  })
  tests.on('test:fail', ({ name, details: { error } }) => {
    const { cause = error } = error
    console.error(`${name}: ${cause instanceof Error ? cause.stack : cause}`)
  })
  tests.on('test:summary', summary => {
    if (summary.file === undefined) totals.add(relative(process.cwd(), path), summary)
  })
  await finished(tests)
  // A process that was ended has not written it.
  totals.addProcessor(relative(process.cwd(), path), Number(await readFile(timeFile, 'utf8').catch(() => 0)))
  return events
}

/** Whether an event is about a test, and not about the run of one file, which is a part of ours. */
function isOfTest(event: TestEvent): boolean {
  switch (event.type) {
    case 'test:diagnostic':
      return event.data.file !== undefined
    case 'test:start':
    case 'test:pass':
    case 'test:fail':
    case 'test:stdout':
    case 'test:stderr':
    case 'test:interrupted':
      return true
    default:
      return false
  }
}
