import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

/** Settings, which may be secrets, and OpenTelemetry's variables. */
const settingVariables = /^(SANDGLASS_|OTEL_|DATABASE_URL(_FILE)?$)/
/** Where programs are, where the person was, and how they behave. sudo replaces some of these. */
const otherVariables = /^(PATH$|HOME$|LANG$|INIT_CWD$|INCUS_DIR$|NODE_)/

/** A script that works on machines, and the command by which a person starts it. */
export interface RootScript {
  readonly file: string
  readonly args?: readonly string[]
  /** For example `npm start`. */
  readonly command: string
  /** The alternative for a person who cannot become root. */
  readonly otherwise?: string
}

/**
 * Machines on this host require root. If an ordinary user may use sudo, this runs the script again as root and
 * returns its exit code. It returns undefined if this process is already root.
 */
export async function runAsRoot({
  file,
  args = [],
  command,
  otherwise,
}: RootScript): Promise<number | undefined> {
  if (process.getuid?.() === 0) return undefined
  const canPrompt = process.stdin.isTTY === true
  if (spawnSync('sudo', canPrompt ? ['-v'] : ['-n', 'true'], { stdio: 'inherit' }).status !== 0)
    throw new Error(
      [`Machines on this host require root. Run: sudo ${command}`, otherwise].filter(Boolean).join('\n'),
    )
  console.log('Machines require root: continuing with sudo.')
  const child = spawn('sudo', [...keepEnvironment(process.env), process.execPath, file, ...args], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'exit')
  return code ?? 1
}

/**
 * The arguments of sudo that pass the environment on. Settings are passed by name only, because every user of the host
 * can read the arguments of a process.
 */
export function keepEnvironment(env: NodeJS.ProcessEnv): string[] {
  const settings = Object.keys(env).filter(name => settingVariables.test(name))
  const others = Object.entries(env).filter(([name]) => otherVariables.test(name))
  return [
    ...(settings.length > 0 ? [`--preserve-env=${settings.join(',')}`] : []),
    'env',
    ...others.map(([name, value]) => `${name}=${value}`),
  ]
}
