import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { Content, DatabaseCopy } from '../manifest.ts'
import { tablesOf } from './tables.ts'

/** The database at one moment, with what was read of it together with the copy. */
export interface CopiedDatabase<Read> {
  readonly copy: DatabaseCopy
  readonly read: Read
}

/**
 * Copies the database as it is at one moment, while others change it. Whatever was committed before this is called is in the copy.
 *
 * @param store stores the content of each table
 * @param read reads more of the same moment
 */
export async function copyDatabase<Read>(
  client: pg.ClientBase,
  store: (content: AsyncIterable<Uint8Array>) => Promise<Content>,
  read: (client: pg.ClientBase) => Promise<Read>,
): Promise<CopiedDatabase<Read>> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  try {
    const migrations = await client.query<{ name: string }>('SELECT name FROM kysely_migration ORDER BY name')
    const tables: DatabaseCopy['tables'] = []
    for (const { name, columns } of await tablesOf(client)) {
      const from = `${pg.escapeIdentifier(name)} (${columns.map(pg.escapeIdentifier).join(', ')})`
      const content = await store(client.query(copyTo(`COPY ${from} TO STDOUT`)))
      tables.push({ name, columns: [...columns], content })
    }
    return {
      copy: {
        migrations: migrations.rows.map(({ name }) => name),
        tables,
        // They belong to no transaction, so they are read after the rows that have numbers of them.
        sequences: await sequencesOf(client),
      },
      read: await read(client),
    }
  } finally {
    await client.query('ROLLBACK')
  }
}

async function sequencesOf(client: pg.ClientBase): Promise<DatabaseCopy['sequences']> {
  const { rows: names } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace ORDER BY relname`,
  )
  const sequences: DatabaseCopy['sequences'] = []
  for (const { name } of names) {
    const { rows } = await client.query<{ last_value: string; is_called: boolean }>(
      `SELECT last_value, is_called FROM ${pg.escapeIdentifier(name)}`,
    )
    for (const { last_value: lastValue, is_called: isCalled } of rows)
      sequences.push({ name, lastValue, isCalled })
  }
  return sequences
}
