import type { z } from 'zod'
import type { OperationId, Operations } from './operations.ts'
import type { AnyInput } from './transport.ts'

type ResponseOf<Id extends OperationId> =
  NonNullable<Operations[Id]['response']> extends infer Schema extends z.ZodType ? z.output<Schema> : never

type ListOf<Response> = Response extends readonly unknown[]
  ? Response
  : Response extends { readonly nextCursor: unknown }
    ? Extract<Response[keyof Response], readonly unknown[]>
    : never

/** Operations that list something, in pages if there is much of it. */
export type ListId = {
  [Id in OperationId]: [ListOf<ResponseOf<Id>>] extends [never] ? never : Id
}[OperationId]

export type ItemOf<Id extends ListId> = ListOf<ResponseOf<Id>>[number]

interface Page {
  readonly body: unknown
  /** Of lists that are nothing but an array. */
  readonly cursor: string | null
}

/** Yields the items of all pages. The next page is requested when the one before has been read. */
export async function* listPages<Item>(
  fetchPage: (input: AnyInput) => Promise<Page>,
  input: AnyInput,
): AsyncGenerator<Item> {
  for (let cursor: unknown; cursor !== null; ) {
    const page = await fetchPage(cursor === undefined ? input : { ...input, cursor })
    const { body } = page
    yield* (Array.isArray(body) ? body : itemsOf(body)) as Item[]
    cursor = Array.isArray(body) ? page.cursor : ((body as { nextCursor?: string | null }).nextCursor ?? null)
  }
}

/** The one field that is a list. */
function itemsOf(body: unknown): readonly unknown[] {
  return Object.values(body as object).find(Array.isArray) ?? []
}
