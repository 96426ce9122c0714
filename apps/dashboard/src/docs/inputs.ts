import type { OperationExample } from '@sandglass/protocol'
import { fill, placeholdersIn, type Values } from './placeholders.ts'
import type { OperationDetails, OperationEntry } from './reference-data.ts'

/** What a person has entered for a request. Placeholders are still in it. */
export interface Inputs {
  /** Parameters of the query and the headers, by name. */
  readonly parameters: Values
  /** The text of the body. Null if it is a file. */
  readonly body: string | null
  readonly files: readonly File[]
  /** Whether to follow events, if the operation can. */
  readonly isFollowed: boolean
}

/** What an example looks like as input. */
export function inputsOf(
  example: OperationExample | undefined,
  { body: accepted, answers }: OperationDetails,
): Inputs {
  const { query = {}, body } = example ?? {}
  const parameters = Object.entries(Object(query)).map(([name, value]) => [name, String(value)])
  return {
    parameters: Object.fromEntries(parameters),
    body: textOf(accepted?.kind, body),
    files: [],
    isFollowed: answers === 'events',
  }
}

function textOf(kind: 'json' | 'bytes' | 'form' | undefined, body: unknown): string | null {
  if (kind === 'bytes') return typeof body === 'string' ? body : null
  if (kind !== 'json' || body === undefined) return null
  return JSON.stringify(body, undefined, 2)
}

/** The placeholders for which values are needed. */
export function neededIn({ path }: OperationEntry, { parameters, body }: Inputs): string[] {
  return placeholdersIn(path, ...Object.values(parameters), body ?? '')
}

/** A request with the values of its placeholders; those that have none are still there. */
export interface FilledRequest {
  readonly path: string
  readonly query: Values
  readonly headers: Values
  /** The body as text, filled in. */
  readonly body: string | null
}

export function filledRequest(
  { path }: OperationEntry,
  { parameters, body }: OperationDetails,
  inputs: Inputs,
  values: Values,
): FilledRequest {
  const given = (place: 'query' | 'header') =>
    Object.fromEntries(
      parameters
        .filter(parameter => parameter.in === place && inputs.parameters[parameter.name])
        .map(({ name }) => [name, fill(inputs.parameters[name] ?? '', values)]),
    )
  const write = body?.kind === 'json' ? (value: string) => JSON.stringify(value).slice(1, -1) : undefined
  return {
    path: fill(path, values, encodeURIComponent),
    query: given('query'),
    headers: given('header'),
    body: inputs.body === null ? null : fill(inputs.body, values, write),
  }
}
