import { runAsRoot } from './as-root.ts'
import { openLocalEngines } from './local-engines.ts'
import type { Engines } from './machines/engines.ts'
import { joinEngines } from './machines/join-engines.ts'
import type { Catalogue } from './modules/shapes/catalogue.ts'
import { openLog } from './ops/log.ts'
import { openPhones } from './phone-engines.ts'
import { type Service, startService } from './service.ts'
import { readSettings, type Settings } from './settings.ts'

/** How long a stop may take; published clients give up after 10 s. */
const longestStopMs = 15_000

try {
  const settings = readSettings(process.env)
  const code =
    settings.SANDGLASS_MACHINES === 'local'
      ? await runAsRoot({
          file: import.meta.filename,
          command: 'npm start',
          otherwise: 'To run without machines: SANDGLASS_MACHINES=none npm start',
        })
      : undefined
  if (code === undefined) await serve(settings)
  else process.exitCode = code
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function serve(settings: Settings): Promise<void> {
  const data = settings.SANDGLASS_DATA
  const service = await startService(settings, openLog(settings.SANDGLASS_LOG_LEVEL), {
    env: process.env,
    tell: console.log,
    ...((settings.SANDGLASS_MACHINES === 'local' || settings.SANDGLASS_PHONES !== undefined) && {
      openEngines: shapes => openEngines(settings, shapes),
    }),
  })
  greet(service, data)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(service))
}

/** Phones first: what is wrong with them is told at once. */
async function openEngines(settings: Settings, shapes: Catalogue): Promise<Engines> {
  const { SANDGLASS_DATA: data, SANDGLASS_PHONES: file, SANDGLASS_MACHINES: machines } = settings
  const phones = await openPhones(file, data, shapes, console.log, settings.SANDGLASS_SCRCPY_SERVER)
  try {
    const local =
      machines === 'local' ? await openLocalEngines(settings, data, shapes, console.log) : undefined
    return joinEngines([local, phones].filter(engines => engines !== undefined))
  } catch (error) {
    await phones?.close()
    throw error
  }
}

async function stop(service: Service): Promise<void> {
  setTimeout(() => process.exit(1), longestStopMs).unref()
  await service.close()
  process.exitCode = 0
}

function greet({ url, credentials: { orgId, apiKey } }: Service, data: string): void {
  console.log(`
Sandglass is running at ${url}

  organization   ${orgId}
  API key        ${apiKey}
  all keys       ${data}/credentials.json
  API reference  ${url}/docs

Try it:

  curl -H 'X-Api-Key: ${apiKey}' ${url}/api/orgs/${orgId}/stats
`)
}
