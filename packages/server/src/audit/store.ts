import type { AuditEntry, AuditFilter } from '@sandglass/protocol'
import type { Insertable } from 'kysely'
import type { Database, Prepared, Tx } from '../db/database.ts'
import type { AuditTable } from '../db/schema.ts'
import { takeWaiting } from '../events/append.ts'

export type AuditRecord = Omit<Insertable<AuditTable>, 'id'>

/** An act inside a machine is recorded before it begins, so that nothing can be done without an entry. */
export const attempted = 'attempted'

export async function appendAudit(db: Database | Tx, record: AuditRecord): Promise<void> {
  await db.insertInto('audit_log').values(record).execute()
}

/** Does the same in a transaction, and writes the events of the transaction with the same statement. */
export async function appendAuditWithEvents(tx: Tx, record: AuditRecord): Promise<void> {
  const events = takeWaiting(tx)
  if (events.length === 0) return await appendAudit(tx, record)
  await tx
    .with('appended', query => query.insertInto('events').values(events))
    .insertInto('audit_log')
    .values(record)
    .execute()
}

const columns = [
  'org_id',
  'actor_kind',
  'actor_id',
  'operation',
  'target',
  'outcome',
  'address',
  'request_id',
] as const

const insertMany = `INSERT INTO audit_log (${columns.join(', ')})
  SELECT * FROM unnest(${columns.map((_, i) => `$${i + 1}::text[]`).join(', ')})`

/**
 * Returns records, or what becomes records, in the order in which one transaction must append them. Each organization has a hash
 * chain with a lock, and two transactions that lock several chains in different orders would block each other.
 */
export function inChainOrder<T extends { readonly org_id?: string | null | undefined }>(
  records: readonly T[],
): T[] {
  const chainOf = ({ org_id }: T) => org_id ?? ''
  return records.toSorted((a, b) => (chainOf(a) < chainOf(b) ? -1 : chainOf(a) > chainOf(b) ? 1 : 0))
}

/** Writes any number of entries with one prepared statement, which is planned only once. */
export async function appendAudits(prepared: Prepared, records: readonly AuditRecord[]): Promise<void> {
  const ordered = inChainOrder(records)
  const values = columns.map(column => ordered.map(record => record[column] ?? null))
  await prepared('append-audits', insertMany, ...values)
}

/** Returns the entries of an organization, or of the operator if `orgId` is null, newest first. */
export async function readAudit(
  db: Database,
  orgId: string | null,
  filter: AuditFilter,
): Promise<AuditEntry[]> {
  let query = db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(filter.limit)
  query = orgId === null ? query.where('org_id', 'is', null) : query.where('org_id', '=', orgId)
  if (filter.operation !== undefined) query = query.where('operation', '=', filter.operation)
  if (filter.actor !== undefined) query = query.where('actor_id', '=', filter.actor)
  if (filter.target !== undefined) query = query.where('target', '=', filter.target)
  if (filter.outcome !== undefined) query = query.where('outcome', '=', filter.outcome)
  if (filter.since !== undefined) query = query.where('at', '>=', new Date(filter.since))
  if (filter.until !== undefined) query = query.where('at', '<', new Date(filter.until))
  if (filter.cursor !== undefined) query = query.where('id', '<', filter.cursor)
  const rows = await query.execute()
  return rows.map(row => ({
    id: row.id,
    at: row.at.toISOString(),
    actor: { kind: row.actor_kind as AuditEntry['actor']['kind'], id: row.actor_id },
    operation: row.operation,
    target: row.target,
    outcome: row.outcome,
    address: row.address,
    requestId: row.request_id,
  }))
}
