import { flushCompileCache } from 'node:module'

/** Loads the code of the front and of workers, so that it is stored compiled, and ends. */
const [{ registry }] = await Promise.all([
  import('../engines/registry.ts'),
  import('./quick-imports.ts'),
  import('../engines/through-host.ts'),
  import('../open-workers.ts'),
  import('../serve.ts'),
  import('@sandglass/host/worker'),
  import('@sandglass/workers/worker'),
])
// A front loads later what engines need that it opens itself.
await Promise.all(registry.map(({ load }) => load?.()))
flushCompileCache()
process.exit()
