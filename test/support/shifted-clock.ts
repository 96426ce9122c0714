import { readFileSync } from 'node:fs'

/**
 * Loaded with `node --import`: shifts the wall clock of a process by `SANDGLASS_TEST_CLOCK_MS` milliseconds, or by
 * the content of the file `SANDGLASS_TEST_CLOCK_FILE`. A test may rewrite that file while the process runs, and the
 * clock then jumps. The monotonic clock and timers continue, as they do when somebody sets the clock of a host.
 */
const file = take('SANDGLASS_TEST_CLOCK_FILE')
/** The file is read at most this often. */
const everyMs = 20

const RealDate = Date
let offsetMs = Number(take('SANDGLASS_TEST_CLOCK_MS') ?? 0)
let readAt = Number.NEGATIVE_INFINITY

/** The service refuses to start with unknown settings. */
function take(name: string): string | undefined {
  const value = process.env[name]
  delete process.env[name]
  return value
}

function now(): number {
  if (file !== undefined && performance.now() - readAt > everyMs) {
    readAt = performance.now()
    offsetMs = Number(readFileSync(file, 'utf8')) || 0
  }
  return RealDate.now() + offsetMs
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, self) => (name === 'now' ? now : Reflect.get(target, name, self)),
})
