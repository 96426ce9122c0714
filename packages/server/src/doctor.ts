import { createServer } from 'node:net'
import type { Check } from '@sandglass/machines/contract'
import { checkEngines } from './engines/check-engines.ts'
import { setUpEngines } from './engines/registry.ts'
import { readEnvironment } from './environment/read-environment.ts'
import { Catalogue } from './modules/shapes/catalogue.ts'
import { readSettings, type Settings } from './settings.ts'

const marks = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const

/**
 * `npm run doctor` reports what this host has, what is wrong, and the command that fixes it. With `--json` it prints one JSON
 * document for programs.
 */
const isJson = process.argv.includes('--json')
try {
  const env = readEnvironment(process.env)
  const settings = readSettings(env)
  const shapes = await Catalogue.load(settings.SANDGLASS_SHAPES)
  const engines = setUpEngines(env, settings)
  report([...(await checkEngines(engines, shapes)), await portCheck(settings)])
} catch (error) {
  const what = error instanceof Error ? error.message : String(error)
  if (isJson) report([{ name: 'settings', result: 'fail', what }])
  else console.error(what)
  process.exitCode = 1
}

function report(checks: readonly Check[]): void {
  const ok = checks.every(({ result }) => result !== 'fail')
  if (isJson) console.log(JSON.stringify({ ok, checks }, null, 2))
  else
    for (const { name, result, what, fix } of checks) {
      console.log(`${marks[result]}  ${name}: ${what}`)
      if (fix !== undefined && result !== 'ok') console.log(`      fix: ${fix}`)
    }
  process.exitCode = ok ? 0 : 1
}

/** A port in use is only a warning, because the service itself may be listening there. */
async function portCheck({ SANDGLASS_HOST: host, SANDGLASS_PORT: port }: Settings): Promise<Check> {
  const problem = await new Promise<string | undefined>(resolve => {
    const server = createServer().once('error', error => resolve(error.message))
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
  if (problem === undefined) return { name: 'port', result: 'ok', what: `${host} port ${port} is free` }
  const fix = 'if it is not the service itself, stop the process that listens there, or set SANDGLASS_PORT'
  return {
    name: 'port',
    result: 'warn',
    what: `${host} port ${port} is not available: ${problem}`,
    fix,
  }
}
