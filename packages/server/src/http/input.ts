import { ApiError } from '@sandglass/protocol'
import type { z } from 'zod'

/** Parses one part of a request with its schema. The error names the path of each invalid field. */
export function parseInput<T extends z.ZodType>(
  schema: T | undefined,
  value: unknown,
  part: 'body' | 'query' | 'path',
): z.output<T> {
  const result = schema?.safeParse(value)
  if (!result) return undefined as z.output<T>
  if (result.success) return result.data
  if (part === 'body' && value === undefined)
    throw new ApiError('request.INVALID', {
      message: 'The body is missing: this operation requires a JSON object.',
      fields: { issues: [{ path: '', message: 'a JSON object is required' }] },
    })
  const issues = result.error.issues.slice(0, 20).map(issue => ({
    path: [...(part === 'query' ? ['query'] : []), ...issue.path].join('.'),
    message: issue.message,
  }))
  const [first] = issues
  throw new ApiError('request.INVALID', {
    message: `The request is not valid: ${first?.path || 'the body'}: ${first?.message}.`,
    fields: { issues },
  })
}
