import type { Operation } from '@sandglass/protocol'
import * as protocol from '@sandglass/protocol'
import { z } from 'zod'
import type { OperationId } from '../../packages/client/src/operations.ts'
import { routes } from '../../packages/client/src/routes.ts'

/** The operations as methods of a client, by their subject. */
export function operationTables(): string {
  const operations = Object.values<unknown>(protocol).filter(isOperation)
  const tags = Map.groupBy(operations, ({ tag }) => tag)
  return [...tags]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(
      ([tag, some]) => `### ${tag}\n\n| method | what it does |\n|---|---|\n${some.map(rowOf).join('\n')}\n`,
    )
    .join('\n')
    .trimEnd()
}

function rowOf(operation: Operation): string {
  const { id, summary } = operation
  const { answers, streams } = routes[id as OperationId]
  if (answers === 'socket') return `| \`${id}\` | ${summary} It is a WebSocket, so it has no method. |`
  const notes = answers === 'bytes' ? ' Returns bytes.' : streams ? ' Can be followed.' : ''
  return `| \`${id}(${inputOf(operation)})\` | ${summary}${notes} |`
}

function inputOf({ path, query, body, accepts }: Operation): string {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)]
    .map(([, name = '']) => name)
    .filter(name => name !== 'orgId')
  const inQuery = query instanceof z.ZodObject ? Object.keys(query.shape).map(name => `${name}?`) : []
  const isBodyOptional = body?.safeParse({}).success ?? false
  const inBody = body || accepts ? [isBodyOptional ? 'body?' : 'body'] : []
  const names = [...inPath, ...inQuery, ...inBody]
  return names.length > 0 ? `{ ${names.join(', ')} }` : ''
}

function isOperation(value: unknown): value is Operation {
  return (
    typeof value === 'object' && value !== null && 'path' in value && 'access' in value && 'method' in value
  )
}
