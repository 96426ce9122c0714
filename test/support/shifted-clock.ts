import { readFileSync } from 'node:fs'
import process from 'node:process'

/**
 * Preloaded into a service by `--import`: its clock is off by the milliseconds in the file that
 * SANDGLASS_TEST_CLOCK_FILE names, and jumps when they change. Timers run by another clock and are not touched.
 */
const name = 'SANDGLASS_TEST_CLOCK_FILE'
const file = process.env[name]
// It is no setting of the service, which refuses names that it does not know.
delete process.env[name]
const lookEveryMs = 20

if (file !== undefined) {
  const now = Date.now.bind(Date)
  let offsetMs = 0
  const look = () => {
    offsetMs = Number(readFileSync(file, 'utf8')) || 0
  }
  look()
  setInterval(look, lookEveryMs).unref()
  globalThis.Date = new Proxy(Date, {
    apply: () => new Date().toString(),
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now() + offsetMs] : args, newTarget),
    get: (target, key) => (key === 'now' ? () => now() + offsetMs : Reflect.get(target, key, target)),
  })
}
