import type { ColumnType } from 'kysely'

/** The time at which the row was inserted, set by the database. */
export type CreatedAt = ColumnType<Date, never, never>

/** A column that is written when the row is inserted, and never changes. */
export type Written<T> = ColumnType<T, T, never>
