import { randomBytes } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Database, Prepared, Tx } from '../../db/database.ts'
import type { HttpMappingTable } from '../../db/schema.ts'
import { appendEvent } from '../../events/append.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'

export type MappingRow = Selectable<HttpMappingTable>

type OwnedSandbox = Pick<SandboxRow, 'id' | 'org_id'>

/** The target of a mapping and the columns of its sandbox that a request through it needs. */
export interface MappedSandbox {
  readonly target: string
  readonly wait_seconds: number | null
  readonly id: string
  readonly org_id: string
  readonly status: string
  readonly machine_id: string | null
  readonly node_id: string | null
  readonly idle_seconds: number | null
  readonly auto_resume: boolean
}

/**
 * Returns the existing mapping or a new one. The sandbox must be locked, so that concurrent calls create only one. An existing
 * one keeps the time that it waits, unless another is given.
 */
export async function ensureMapping(
  tx: Tx,
  sandbox: OwnedSandbox,
  target: string,
  waitSeconds: number | undefined,
): Promise<MappingRow> {
  const known = await selectMapping(tx, sandbox.id, target)
  if (known) return changeWait(tx, known, waitSeconds)
  await appendEvent(tx, {
    orgId: sandbox.org_id,
    type: 'mapping.created',
    subject: sandbox.id,
    data: { targetEndpoint: target },
  })
  return tx
    .insertInto('http_mappings')
    .values({
      id: randomBytes(10).toString('hex'),
      sandbox_id: sandbox.id,
      target,
      wait_seconds: waitSeconds ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

async function changeWait(
  tx: Tx,
  mapping: MappingRow,
  waitSeconds = mapping.wait_seconds,
): Promise<MappingRow> {
  if (waitSeconds === mapping.wait_seconds) return mapping
  return tx
    .updateTable('http_mappings')
    .set({ wait_seconds: waitSeconds })
    .where('id', '=', mapping.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function selectMapping(
  db: Database | Tx,
  sandboxId: string,
  target: string,
): Promise<MappingRow | undefined> {
  return db
    .selectFrom('http_mappings')
    .selectAll()
    .where('sandbox_id', '=', sandboxId)
    .where('target', '=', target)
    .executeTakeFirst()
}

export async function selectMappings(db: Database | Tx, sandboxId: string): Promise<MappingRow[]> {
  return db
    .selectFrom('http_mappings')
    .selectAll()
    .where('sandbox_id', '=', sandboxId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function deleteMapping(
  tx: Tx,
  sandbox: OwnedSandbox,
  { id, target }: MappingRow,
): Promise<void> {
  await tx.deleteFrom('http_mappings').where('id', '=', id).execute()
  await appendEvent(tx, {
    orgId: sandbox.org_id,
    type: 'mapping.deleted',
    subject: sandbox.id,
    data: { targetEndpoint: target },
  })
}

const sandboxOfMapping = `SELECT mapping.target, mapping.wait_seconds, sandbox.id, sandbox.org_id, sandbox.status, sandbox.machine_id, sandbox.node_id,
    sandbox.idle_seconds, sandbox.auto_resume
  FROM http_mappings AS mapping
  JOIN sandboxes AS sandbox ON sandbox.id = mapping.sandbox_id
  WHERE mapping.id = $1`

export async function selectMappedSandbox(
  prepared: Prepared,
  id: string,
): Promise<MappedSandbox | undefined> {
  const [row] = await prepared<MappedSandbox>('sandbox-of-mapping', sandboxOfMapping, id)
  return row
}
