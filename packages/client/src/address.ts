import { InvalidRequestError } from './errors.ts'

type Values = Readonly<Record<string, unknown>>

/** Fills in the path of an operation, and appends the other values as its query. */
export function addressOf(template: string, values: Values, orgId: string): string {
  const rest = new Map(Object.entries(values))
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name) ?? (name === 'orgId' ? orgId : undefined)
    rest.delete(name)
    return segmentOf(name, value, template)
  })
  const query = queryOf(rest)
  return query === '' ? path : `${path}?${query}`
}

/** An empty segment, or one of dots, would make it the path of another operation. */
function segmentOf(name: string, value: unknown, template: string): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && !/^\.{0,2}$/.test(text)) return encodeURIComponent(text)
  throw new InvalidRequestError(
    `${name} cannot be ${JSON.stringify(value)}. It has to be a text that is not empty, as a part of ${template}.`,
    { code: 'client.INVALID_INPUT' },
  )
}

function queryOf(values: ReadonlyMap<string, unknown>): string {
  if (values.size === 0) return ''
  const query = new URLSearchParams()
  for (const [name, value] of values)
    for (const one of [value].flat()) if (one !== undefined && one !== null) query.append(name, String(one))
  return query.toString()
}
