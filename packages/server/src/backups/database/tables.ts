import type pg from 'pg'

/** A table, and what it takes to fill it again. */
export interface TableLayout {
  readonly name: string
  /** Without columns that the database computes. */
  readonly columns: readonly string[]
}

/** The tables in which the migrations are noted. They are not copied, because the migrations write them. */
const ofMigrations = new Set(['kysely_migration', 'kysely_migration_lock'])

/** Returns the tables of the schema. A table comes after those that its rows refer to. */
export async function tablesOf(client: pg.ClientBase): Promise<TableLayout[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; needs: string[] }>(`
    SELECT c.relname AS name,
      (SELECT json_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
      (SELECT coalesce(json_agg(DISTINCT other.relname), '[]') FROM pg_constraint f
        JOIN pg_class other ON other.oid = f.confrelid
        WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS needs
    FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
    ORDER BY c.relname`)
  const left = new Map(rows.filter(({ name }) => !ofMigrations.has(name)).map(row => [row.name, row]))
  const ordered: TableLayout[] = []
  while (left.size > 0) {
    const next = [...left.values()].filter(({ needs }) => needs.every(name => !left.has(name)))
    if (next.length === 0) throw new Error(`the tables ${[...left.keys()].join(', ')} refer to each other`)
    for (const { name, columns } of next) {
      ordered.push({ name, columns })
      left.delete(name)
    }
  }
  return ordered
}

export async function isEmpty(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT 1 FROM pg_class WHERE relkind IN ('r', 'S', 'v') AND relnamespace = current_schema()::regnamespace LIMIT 1`,
  )
  return rows.length === 0
}
