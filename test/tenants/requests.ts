import assert from 'node:assert/strict'
import type { Operation } from '@sandglass/protocol'
import * as protocol from '@sandglass/protocol'
import { z } from 'zod'
import type { Tenant } from './tenant.ts'

/** Every operation of the protocol. */
export const operations: readonly Operation[] = Object.values<unknown>(protocol).filter(
  (value): value is Operation =>
    typeof value === 'object' && value !== null && 'access' in value && 'path' in value,
)

export interface PreparedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * Prepares calls of the operation, one for each of its examples. `ids` are the values of the path's parameters, and `named` what the body
 * and the query name.
 */
export function requestsFor(
  operation: Operation,
  ids: Tenant['ids'],
  named: Tenant['ids'],
): PreparedRequest[] {
  const { id, method, accepts, examples = [{}] } = operation
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_hole, name) =>
    encodeURIComponent(meantBy(name, ids)),
  )
  return examples.map(example => {
    // The values are ids and the like, which JSON has no need to escape.
    const filled = JSON.stringify(example).replaceAll(/\{(\w+)\}/g, (_hole, name) => meantBy(name, named))
    const { query = {}, body } = Example.parse(JSON.parse(filled))
    const isComplete =
      (operation.body?.safeParse(body).success ?? true) && (operation.query?.safeParse(query).success ?? true)
    assert.ok(isComplete, `${id}: add an example to the operation with which it succeeds`)
    const asked = new URLSearchParams(query)
    const form = 'multipart/form-data; boundary=x'
    return {
      method,
      path: asked.size === 0 ? path : `${path}?${asked}`,
      headers: { 'content-type': accepts === 'form' ? form : accepts ? 'text/plain' : 'application/json' },
      ...(accepts === 'form' && { body: sentForm }),
      ...(accepts === 'bytes' && { body: typeof body === 'string' ? body : 'intruder' }),
      ...(!accepts && body !== undefined && { body: JSON.stringify(body) }),
    }
  })
}

/** What a placeholder stands for. Fails if the tenant has nothing of the kind, so that nobody forgets to add it. */
function meantBy(name: string, of: Tenant['ids']): string {
  const value = of[name]
  assert.ok(value !== undefined, `add something to tenant.ts that {${name}} can name`)
  return value
}

const Text = z.union([z.string(), z.number().transform(String)])
const Example = z.object({
  query: z.record(z.string(), Text).optional(),
  body: z.unknown().optional(),
})

const sentForm = [
  '--x',
  'Content-Disposition: form-data; name="file"; filename="intruder"',
  '',
  'intruder',
  '--x--',
  '',
].join('\r\n')
