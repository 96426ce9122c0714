import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Content, DatabaseCopy } from '../manifest.ts'
import { tablesOf } from './tables.ts'

/**
 * Fills tables, which migrations have just made, with the rows of a copy. It belongs to the transaction of the migrations, so that
 * there is either everything or nothing.
 */
export async function loadDatabase(
  client: pg.ClientBase,
  { tables, sequences }: DatabaseCopy,
  read: (content: Content) => AsyncIterable<Buffer>,
): Promise<void> {
  const names = (await tablesOf(client)).map(({ name }) => name)
  const missing = tables.find(({ name }) => !names.includes(name))
  if (missing) throw new Error(`the backup has a table ${missing.name}, which its migrations do not make`)
  // What triggers would do was done when the rows were written. Some refuse every change of their table.
  const triggers = await triggersOf(client)
  for (const { table, name } of triggers)
    await client.query(`ALTER TABLE ${quote(table)} DISABLE TRIGGER ${quote(name)}`)
  await client.query(`TRUNCATE ${names.map(quote).join(', ')}`)
  for (const { name, columns, content } of tables)
    await pipeline(
      read(content),
      client.query(copyFrom(`COPY ${quote(name)} (${columns.map(quote).join(', ')}) FROM STDIN`)),
    )
  for (const { name, lastValue, isCalled } of sequences)
    await client.query('SELECT setval($1::regclass, $2, $3)', [quote(name), lastValue, isCalled])
  for (const { table, name, isAlways } of triggers)
    await client.query(
      `ALTER TABLE ${quote(table)} ENABLE ${isAlways ? 'ALWAYS ' : ''}TRIGGER ${quote(name)}`,
    )
}

interface Trigger {
  readonly table: string
  readonly name: string
  readonly isAlways: boolean
}

async function triggersOf(client: pg.ClientBase): Promise<Trigger[]> {
  const { rows } = await client.query<Trigger>(`
    SELECT c.relname AS table, t.tgname AS name, t.tgenabled = 'A' AS "isAlways"
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND c.relnamespace = current_schema()::regnamespace`)
  return rows
}

const quote = pg.escapeIdentifier
