import dns from 'node:dns'
import { mock } from 'node:test'

/** From now on every name leads to this box, as names below localhost do in a browser and a wildcard's do by DNS. */
export function resolveNamesToLoopback(): void {
  mock.method(dns, 'lookup', (_name: string, options: unknown, done: (...answer: unknown[]) => void) => {
    const all = typeof options === 'object' && options !== null && 'all' in options && options.all
    if (all) process.nextTick(done, null, [{ address: '127.0.0.1', family: 4 }])
    else process.nextTick(done, null, '127.0.0.1', 4)
  })
}
