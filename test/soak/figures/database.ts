import { join } from 'node:path'
import { sql } from 'kysely'
import { openPool } from '../../../packages/server/src/db/database.ts'
import { embeddedAddress } from '../../../packages/server/src/db/embedded/server.ts'
import { grows } from '../bounds.ts'
import type { SoakedService } from '../soaked-service.ts'

/** The rows of every table, and how large the tables are: those that are kept for days, and all others. */
export async function databaseFigures({ data }: SoakedService): Promise<[string, number][]> {
  // Opened each time, because the database may be replaced by a fault.
  const { db, close } = openPool(embeddedAddress(join(data, 'postgres')), () => {})
  try {
    const tables = await sql<{ name: string; bytes: string }>`
      SELECT tablename AS name, pg_total_relation_size(quote_ident(tablename)::regclass) AS bytes
      FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`.execute(db)
    const found: [string, number][] = []
    const sizes = { kept: 0, other: 0 }
    for (const { name, bytes } of tables.rows) {
      const { rows } = await sql<{ rows: string }>`SELECT count(*) AS rows FROM ${sql.table(name)}`.execute(
        db,
      )
      found.push([`rows: ${name}`, Number(rows[0]?.rows)])
      sizes[grows(`rows: ${name}`) ? 'kept' : 'other'] += Number(bytes)
    }
    return [
      ...found,
      ['database: tables of records', sizes.kept],
      ['database: all other tables', sizes.other],
    ]
  } finally {
    await close()
  }
}
