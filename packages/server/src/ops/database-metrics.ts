import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import { knownPosition } from '../events/position.ts'
import type { EventTail } from '../events/tail.ts'

/**
 * Reports the database. All processes of a database report the same, except for how far each is behind in the event log. What
 * cannot be read is left out, so that the other metrics can still be read.
 */
export function reportDatabase(db: Database, events: Pick<EventTail, 'read'>, registry: Registry): void {
  const registers = [registry]
  new Gauge({
    name: 'sandglass_database_up',
    help: 'Whether the database answers this process: 1, or 0.',
    registers,
    async collect() {
      const isUp = await sql`SELECT 1`.execute(db).then(
        () => true,
        () => false,
      )
      this.set(isUp ? 1 : 0)
    },
  })
  const read = (name: string, help: string, select: () => Promise<number | undefined>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.reset()
        const value = await select().catch(() => undefined)
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  read('sandglass_database_bytes', 'Disk space that the database takes, with its indexes.', async () => {
    const { rows } = await sql<{ bytes: string }>`
      SELECT pg_database_size(current_database()) AS bytes`.execute(db)
    return rows[0] && Number(rows[0].bytes)
  })
  read(
    'sandglass_event_log_lag_seconds',
    'The age of the oldest event that this process has not passed on to webhooks and streams yet; 0 if there is none.',
    async () => {
      const end = events.read
      if (end === undefined) return 0
      const { position, number } = knownPosition(end)
      const { rows } = await sql<{ age: number }>`
        SELECT greatest(0, extract(epoch FROM now() - at))::float8 AS age FROM events
        WHERE (position, number) > (${position}::bigint, ${number}::bigint)
        ORDER BY position, number LIMIT 1`.execute(db)
      return rows[0]?.age ?? 0
    },
  )
}
