import { createServer } from 'node:net'
import type { Check } from '@sandglass/machines/contract'
import { checkEngines } from './engines/check-engines.ts'
import { setUpEngines } from './engines/registry.ts'
import { readEnvironment } from './environment/read-environment.ts'
import { Catalogue } from './modules/shapes/catalogue.ts'
import { readSettings, type Settings } from './settings.ts'

const marks = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const

/** `npm run doctor` reports what this host has, what is wrong, and the command that fixes it. */
try {
  const env = readEnvironment(process.env)
  const settings = readSettings(env)
  const shapes = await Catalogue.load(settings.SANDGLASS_SHAPES)
  const engines = setUpEngines(env, settings)
  const checks = [...(await checkEngines(engines, shapes)), await portCheck(settings)]
  for (const { name, result, what, fix } of checks) {
    console.log(`${marks[result]}  ${name}: ${what}`)
    if (fix !== undefined && result !== 'ok') console.log(`      fix: ${fix}`)
  }
  process.exitCode = checks.some(({ result }) => result === 'fail') ? 1 : 0
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
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
