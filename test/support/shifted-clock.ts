import { readFileSync } from 'node:fs'

/**
 * For `node --import`: a process whose wall clock is off. `SANDGLASS_TEST_CLOCK_MS` says by how many milliseconds, or the
 * file that `SANDGLASS_TEST_CLOCK_FILE` names, which a test may write anew while the process runs: the clock then jumps. The
 * monotonic clock, and timers, go on as they do when somebody sets the clock of a host.
 */
const file = take('SANDGLASS_TEST_CLOCK_FILE')
/** The file is read so often at the most. */
const everyMs = 20

const RealDate = Date
let offsetMs = Number(take('SANDGLASS_TEST_CLOCK_MS') ?? 0)
let readAt = Number.NEGATIVE_INFINITY

/** The service refuses to start with settings that it does not know. */
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
