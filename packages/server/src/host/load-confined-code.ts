import { flushCompileCache } from 'node:module'

/** Loads the code of the front and of workers, so that it is stored compiled, and ends. */
await Promise.all([
  import('./quick-imports.ts'),
  import('../engines/registry.ts'),
  import('../engines/through-host.ts'),
  import('../open-workers.ts'),
  import('../serve.ts'),
  import('@sandglass/workers/worker'),
])
flushCompileCache()
process.exit()
