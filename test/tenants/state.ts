import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { openMachine } from '../../packages/server/src/testing/running-sandbox.ts'
import type { MachineService } from '../../packages/server/src/testing/test-machines.ts'
import type { Tenant } from './tenant.ts'

/** Columns that change without anybody changing anything. */
const volatile = new Set([
  'last_used_at',
  'updated_at',
  'seen_at',
  'touched_at',
  'health',
  'renewed_at',
  'used_mib',
  'leased_by',
  'leased_until',
  'position',
  'number',
])

/**
 * Everything that the database and the machine have about a tenant. Rows are found by the ids of the tenant in them,
 * in every table that there is, so that a new table is included automatically. The audit chain is left out, because it
 * has a link for every entry of the audit log, and thus for refusals too.
 */
export async function stateOf(machines: MachineService, tenant: Tenant): Promise<unknown> {
  const { db } = machines.service.pool
  const own = [
    'keyId',
    'tokenId',
    'orgId',
    'sandboxId',
    'mcpServerId',
    'projectId',
    'operationId',
    'invitationId',
    'imageId',
    'snapshotId',
    'volumeId',
    'webhookId',
  ].map(name => tenant.ids[name])
  const { rows: tables } = await sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'audit_chain'
    ORDER BY 1`.execute(db)
  const rowsOf = async (table: string) => {
    const { rows } = await sql<{ row: Record<string, unknown> }>`
      SELECT to_jsonb(t) AS row FROM ${sql.table(table)} t ORDER BY t::text`.execute(db)
    return (
      rows
        .map(({ row }) => Object.fromEntries(Object.entries(row).filter(([name]) => !volatile.has(name))))
        // Members whose role is too low are refused, which is recorded.
        .filter(row => table !== 'audit_log' || row['outcome'] === 'done' || row['outcome'] === 'attempted')
        .map(row => JSON.stringify(row))
        .filter(text => own.some(id => id !== undefined && text.includes(id)))
        .sort()
    )
  }
  const state: [string, string[]][] = []
  for (const { name } of tables) state.push([name, await rowsOf(name)])
  return { rows: Object.fromEntries(state), inside: await insideOf(machines, tenant.ids['sandboxId'] ?? '') }
}

/** What the machine contains: the files of its user, and whether the shell still runs. */
async function insideOf(machines: MachineService, sandboxId: string): Promise<string> {
  const machine = await openMachine(machines, sandboxId)
  try {
    const script = 'ls -1A; cat notes.txt; grep -lx cat /proc/[0-9]*/comm | wc -l'
    return await text((await machine.exec({ executable: 'sh', args: ['-c', script] })).stdout)
  } finally {
    machine.close()
  }
}
