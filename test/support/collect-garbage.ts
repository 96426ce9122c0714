import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/**
 * Preloaded into a service by `--import`, so that a test can tell what the service still holds from what V8 has not
 * collected yet: the service collects its garbage on SIGUSR2.
 */
if (isMainThread) {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  process.on('SIGUSR2', () => collect())
}
