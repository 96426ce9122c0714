import dns from 'node:dns'
import { mock } from 'node:test'

/** Makes every host name resolve to 127.0.0.1 from now on, as a wildcard DNS entry would. */
export function resolveNamesToLoopback(): void {
  mock.method(dns, 'lookup', (_name: string, options: unknown, done: (...answer: unknown[]) => void) => {
    const all = typeof options === 'object' && options !== null && 'all' in options && options.all
    if (all) process.nextTick(done, null, [{ address: '127.0.0.1', family: 4 }])
    else process.nextTick(done, null, '127.0.0.1', 4)
  })
}
