import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Formatting, rules and types. */
const checks = [
  ['biome', 'ci', '--error-on-warnings'],
  ['tsc'],
  ['tsc', '-p', 'tsconfig.browser.json'],
] as const

/** What tests use that is not executed as it is written. */
const builds = [
  ['node', 'scripts/build-pages.ts'],
  ['node', 'scripts/build-client.ts'],
  ['node', 'scripts/compile.ts'],
] as const

/** Checks the code, and builds what depends on it meanwhile. Returns whether the tests can run. */
export async function check(): Promise<boolean> {
  const done = await Promise.all([inTurn(checks), inTurn(builds)])
  return done.every(isDone => isDone)
}

/** Runs commands one after the other until one fails. npm has put our own programs into the path. */
async function inTurn(commands: readonly (readonly [string, ...string[]])[]): Promise<boolean> {
  for (const [program, ...args] of commands) {
    const child = spawn(program, args, { stdio: 'inherit' })
    const [code] = await once(child, 'exit')
    if (code === 0) continue
    console.error(`${[program, ...args].join(' ')} failed.`)
    return false
  }
  return true
}
