import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { Settings } from './settings.ts'

/** What of the environment goes along: settings, OpenTelemetry's variables, and where programs are. */
const kept = /^(SANDGLASS_|OTEL_|DATABASE_URL$|PATH$|HOME$|LANG$|NODE_)/

/**
 * Machines on this box need root. An ordinary user who may use sudo gets the service started by it; undefined where
 * there is nothing to do, else the exit code of that service.
 */
export async function runAsRoot(settings: Settings, main: string): Promise<number | undefined> {
  if (settings.SANDGLASS_MACHINES !== 'local' || process.getuid?.() === 0) return undefined
  const mayAsk = process.stdin.isTTY === true
  if (spawnSync('sudo', mayAsk ? ['-v'] : ['-n', 'true'], { stdio: 'inherit' }).status !== 0)
    throw new Error(
      'Machines on this box need root. Run: sudo npm start\nOr serve without machines: SANDGLASS_MACHINES=none npm start',
    )
  console.log('Machines need root: starting with sudo.')
  const variables = Object.entries(process.env).filter(([name]) => kept.test(name))
  const assignments = variables.map(([name, value]) => `${name}=${value}`)
  const child = spawn('sudo', ['env', ...assignments, process.execPath, main], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'exit')
  return code ?? 1
}
