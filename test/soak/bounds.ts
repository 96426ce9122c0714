/** Figures that may grow during a run, each with what bounds it or how fast it grows. docs/operating.md has the whole table. */
const bounds: readonly (readonly [RegExp, string])[] = [
  [/^rows: audit_(log|chain)$/, 'an entry per change; not bounded'],
  [/^rows: usage_spans$/, 'a row for each time that a sandbox ran'],
  [/^rows: ended_sandboxes$/, '`SANDGLASS_ENDED_DAYS`'],
  [/^rows: idempotency$/, '24 hours'],
  [/^rows: api_keys$/, 'a day after they were revoked'],
  [/^rows: webhook_deliveries$/, '`SANDGLASS_WEBHOOK_DELIVERIES`, looked at once per hour'],
  [/^rows: (events|sandbox_actions)$/, '`SANDGLASS_EVENTS`, `SANDGLASS_ACTIONS`, looked at every 10 minutes'],
  [/^database: tables of records$/, 'the rows above'],
  [/^disk: database files$/, 'the tables and the log of the database'],
  [/^disk: log of the database$/, '`max_wal_size` of the database, 1 GiB'],
  [/^disk: the volume of disks$/, 'the disks that existed at the same time'],
  [/^disk: screenshots$/, '`SANDGLASS_SCREENSHOTS_PER_NODE`'],
]

/** What bounds a figure that may grow during a run; undefined if it must not. */
export function boundOf(name: string): string | undefined {
  return bounds.find(([pattern]) => pattern.test(name))?.[1]
}

export const grows = (name: string): boolean => boundOf(name) !== undefined
