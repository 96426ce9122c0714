import { Socket } from 'node:net'
import { HostConnection } from '@sandglass/host'
import { setUpEngines } from './engines/registry.ts'
import { throughHost } from './engines/through-host.ts'
import { frontDescriptors } from './host/launch-front.ts'
import { openWorkers } from './open-workers.ts'
import { serve } from './serve.ts'
import { readSettings } from './settings.ts'

/** The front: serves HTTP without any rights. The host starts it, and does what requires root when it asks. */
const host = new HostConnection(new Socket({ fd: frontDescriptors.link }))
// The kernel ends this process with the host, unless the host ended before it could say so.
void host.ended.then(() => process.exit(1))
try {
  const settings = readSettings(process.env)
  const engines = setUpEngines(process.env, settings).map(setup =>
    setup.needsRoot && setup.disabled === undefined ? throughHost(setup, host) : setup,
  )
  await serve(settings, engines, {
    env: process.env,
    lock: frontDescriptors.lock,
    openWorkers: (log, _engines, frames) => openWorkers(host, settings, log, frames),
    // Whatever still waits for the host must not keep this process alive.
    onStopped: () => process.exit(),
  })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
