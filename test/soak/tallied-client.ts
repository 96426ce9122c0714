import { Sandglass } from '@sandglass/client'
import type { SoakedService } from './soaked-service.ts'
import type { Tally } from './tally.ts'

/** A client that counts every operation. It does not repeat calls, so that each failure shows. */
export function talliedClient({ credentials }: SoakedService, tally: Tally): Sandglass {
  const { url, orgId, apiKey } = credentials
  const client = new Sandglass({ url, orgId, apiKey, retries: 0 })
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(member, target, args)
        return result instanceof Promise && isOperation(name) ? tally.of(name, result) : result
      }
    },
  })
}

const ownMethods = new Set(['credentials', 'fetch'])

function isOperation(name: string | symbol): name is string {
  return typeof name === 'string' && !ownMethods.has(name)
}
