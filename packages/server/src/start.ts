import { join } from 'node:path'
import { runAsRoot } from './as-root.ts'
import { setUpEngines } from './engines/registry.ts'
import { readEnvironment } from './environment/read-environment.ts'
import { frontOf } from './host/front-record.ts'
import { runHost } from './host/host-process.ts'
import { hostedEngines } from './host/hosted-engines.ts'
import { readSettings } from './settings.ts'

/**
 * What `npm start` does. With engines that require root, this process becomes the host, which starts the front as an
 * unprivileged user. Otherwise it serves by itself.
 */
try {
  const env = readEnvironment(process.env)
  const settings = readSettings(env)
  const engines = setUpEngines(env, settings)
  const hosted = hostedEngines(engines)
  const [first] = hosted.values()
  const code =
    first &&
    (await runAsRoot({
      file: join(import.meta.dirname, 'main.ts'),
      command: 'npm start',
      otherwise: first.instead,
    }))
  if (code !== undefined) process.exitCode = code
  // Without such an engine, root goes on with a data directory that was prepared for a front.
  else if (first || (process.getuid?.() === 0 && (await frontOf(settings.SANDGLASS_DATA))))
    process.exit(await runHost(settings, hosted, env))
  else {
    // The host needs none of it.
    const { serve } = await import('./serve.ts')
    await serve(settings, engines, { env })
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
