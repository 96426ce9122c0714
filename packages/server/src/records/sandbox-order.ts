import { ApiError, type SandboxSort } from '@sandglass/protocol'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'

/** The order in which sandboxes are listed. Only those that have ended can be sorted by their end. */
export type SandboxOrder = SandboxSort | '-endedAt'

/** The place in a list at which a page has ended: the value that the list is sorted by, and an id. */
interface Place {
  readonly value: string
  readonly id: string
}

interface SortKey {
  /** What the list is sorted by. */
  readonly by: RawBuilder<unknown>
  /** The same as a text, which loses nothing. */
  readonly asText: RawBuilder<string>
  /** The value that the text was made of; undefined if it is no such text. */
  fromText(text: string): RawBuilder<unknown> | undefined
}

const keys: Readonly<Record<string, SortKey>> = {
  createdAt: timeKey('created_at'),
  expiresAt: timeKey('expires_at'),
  endedAt: timeKey('ended_at'),
  name: textKey(sql<string>`lower(name)`),
  status: textKey(sql<string>`status`),
}

const invalidCursor = 'must be the X-Next-Cursor of an earlier response with the same sort'

/** How a list is sorted, and how its pages follow each other. */
export class SortedPages {
  readonly #order: SandboxOrder
  readonly #key: SortKey
  readonly #direction: 'asc' | 'desc'

  constructor(order: SandboxOrder) {
    const isReversed = order.startsWith('-')
    const key = keys[isReversed ? order.slice(1) : order]
    if (!key) throw new Error(`sandboxes are not sorted by ${order}`)
    this.#order = order
    this.#key = key
    this.#direction = isReversed ? 'desc' : 'asc'
  }

  /** The column of which {@link cursorAfter} is made. */
  get value(): RawBuilder<string> {
    return this.#key.asText
  }

  /** The order by the value, and by id among equal ones. */
  get orderBy(): RawBuilder<unknown> {
    const direction = sql.raw(this.#direction)
    return sql`${this.#key.by} ${direction}, id ${direction}`
  }

  /** Whether a row comes after the page that the cursor belongs to. */
  isAfter(cursor: string | undefined): RawBuilder<boolean> {
    if (cursor === undefined) return sql<boolean>`true`
    const { value, id } = this.#placeOf(cursor)
    const comparison = sql.raw(this.#direction === 'asc' ? '>' : '<')
    return sql<boolean>`(${this.#key.by}, id) ${comparison} (${this.#valueOf(value)}, ${id})`
  }

  cursorAfter({ value, id }: Place): string {
    return Buffer.from(JSON.stringify([this.#order, value, id])).toString('base64url')
  }

  #placeOf(cursor: string): Place {
    const [order, value, id] = readCursor(cursor)
    if (order !== this.#order) throw badCursor()
    return { value, id }
  }

  #valueOf(text: string): RawBuilder<unknown> {
    const value = this.#key.fromText(text)
    if (!value) throw badCursor()
    return value
  }
}

/** The database refuses null bytes, and a caller can make a cursor up. */
const CursorText = z.string().regex(/^[^\0]*$/)
const Cursor = z.tuple([CursorText, CursorText, CursorText])

function readCursor(cursor: string): z.infer<typeof Cursor> {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch {
    throw badCursor()
  }
}

function badCursor(): ApiError {
  return new ApiError('request.INVALID', {
    message: `The request is not valid: cursor: ${invalidCursor}.`,
    fields: { issues: [{ path: 'cursor', message: invalidCursor }] },
  })
}

/** A Date has only milliseconds, and would skip or repeat a sandbox between two pages. */
function timeKey(column: string): SortKey {
  return {
    by: sql.ref(column),
    asText: sql<string>`(extract(epoch FROM ${sql.ref(column)}) * 1000000)::bigint::text`,
    fromText: text =>
      /^\d{1,18}$/.test(text)
        ? sql`timestamptz 'epoch' + ${text}::bigint * interval '1 microsecond'`
        : undefined,
  }
}

function textKey(by: RawBuilder<string>): SortKey {
  return { by, asText: by, fromText: text => sql`${text}::text` }
}
