import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

/** What of the environment goes along: settings, OpenTelemetry's variables, and where programs are. */
const kept = /^(SANDGLASS_|OTEL_|DATABASE_URL$|PATH$|HOME$|LANG$|NODE_)/

/** A script that works on machines, and how a person calls it. */
export interface RootScript {
  readonly file: string
  readonly args?: readonly string[]
  /** Such as `npm start`. */
  readonly command: string
  /** What else a person without root can do. */
  readonly otherwise?: string
}

/**
 * Machines on this host require root. For an ordinary user who may use sudo, the script is run again by it; undefined where
 * this process is root already, else the exit code of that run.
 */
export async function runAsRoot({
  file,
  args = [],
  command,
  otherwise,
}: RootScript): Promise<number | undefined> {
  if (process.getuid?.() === 0) return undefined
  const mayAsk = process.stdin.isTTY === true
  if (spawnSync('sudo', mayAsk ? ['-v'] : ['-n', 'true'], { stdio: 'inherit' }).status !== 0)
    throw new Error(
      [`Machines on this host require root. Run: sudo ${command}`, otherwise].filter(Boolean).join('\n'),
    )
  console.log('Machines require root: continuing with sudo.')
  const variables = Object.entries(process.env).filter(([name]) => kept.test(name))
  const assignments = variables.map(([name, value]) => `${name}=${value}`)
  const child = spawn('sudo', ['env', ...assignments, process.execPath, file, ...args], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'exit')
  return code ?? 1
}
