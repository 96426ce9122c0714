import { fstatSync } from 'node:fs'
import type { EngineSetup } from './engines/engine-definition.ts'
import { openEngines } from './engines/open-engines.ts'
import { openLog, unhandled } from './ops/log.ts'
import { type Service, type StartOptions, startService } from './service.ts'
import type { Settings } from './settings.ts'

/** The maximum time for a stop. Published clients time out after 10 s. */
const stopTimeoutMs = 15_000

/** Serves until a signal stops it. Settles when it serves; `onStopped` is called when everything is released. */
export async function serve(
  settings: Settings,
  engines: readonly EngineSetup[],
  {
    env,
    onStopped = () => {},
    ...options
  }: Required<Pick<StartOptions, 'env'>> &
    Pick<StartOptions, 'lock' | 'openWorkers'> & { readonly onStopped?: () => void },
): Promise<void> {
  // OpenTelemetry reads its variables from the process.
  for (const [name, value] of Object.entries(env)) if (name.startsWith('OTEL_')) process.env[name] = value
  const data = settings.SANDGLASS_DATA
  const log = openLog(settings.SANDGLASS_LOG_LEVEL)
  // One piece of background work that failed must not end the service for everybody.
  process.on('unhandledRejection', error => log.error({ error }, unhandled))
  const service = await startService(settings, log, {
    env,
    tell: console.log,
    openEngines: shapes => openEngines(engines, shapes, console.log),
    ...options,
  })
  const stop = async () => {
    setTimeout(() => process.exit(1), stopTimeoutMs).unref()
    await service.close()
    process.exitCode = 0
    onStopped()
  }
  // Whoever reads the greeting may stop the service immediately.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop())
  greet(service, data)
}

/** Prints the key only at the start that created it, because what is printed is often kept in a journal for years. */
function greet(service: Service, data: string): void {
  const { url, credentials } = service
  const hasNewCredentials = service.hasNewCredentials && !isKept()
  const signInUrl = isKept() ? undefined : service.signInUrl
  const { orgId, apiKey } = credentials
  const file = `${data}/credentials.json`
  const header = hasNewCredentials
    ? `'X-Api-Key: ${apiKey}'`
    : `"X-Api-Key: $(sed -n 's/.*"apiKey": "\\(.*\\)".*/\\1/p' '${file}')"`
  console.log(`
Sandglass is running at ${url}

  sign in        ${signInUrl ? `${signInUrl} (once, within 15 minutes)` : `${url}/sign-in (npm run sandglass -- sign-in makes a link)`}
  organization   ${orgId}
  API key        ${hasNewCredentials ? `${apiKey} (not shown again)` : `in ${file}`}
  all keys       ${file}
  for a shell    . ${data}/env
  guide          ${url}/docs/guide
  API reference  ${url}/docs

Try it:

  curl -H ${header} ${url}/api/orgs/${orgId}/stats
`)
}

/**
 * Whether systemd or a container engine keeps what this process prints. The variable of the journal alone is inherited by
 * programs that print elsewhere; the image of a container sets the other one.
 */
function isKept(): boolean {
  const { dev, ino } = fstatSync(1)
  const isContainer = process.env['container'] !== undefined && process.stdout.isTTY !== true
  return isContainer || process.env['JOURNAL_STREAM'] === `${dev}:${ino}`
}
