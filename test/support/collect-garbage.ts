import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/**
 * Preloaded into a service with `--import`. The service then collects its garbage on SIGUSR2, so that a test can
 * distinguish memory in use from memory that V8 has not collected yet.
 */
if (isMainThread) {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  process.on('SIGUSR2', () => collect())
}
