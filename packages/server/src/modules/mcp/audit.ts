import type { Database } from '../../db/database.ts'
import { appendAudit } from '../audit/store.ts'
import type { McpCaller } from './caller.ts'

/** Records a tool call beside its answer, as what is done inside a machine over HTTP is recorded; no caller waits for it. */
export function recordToolCall(
  db: Database,
  { server, member, request }: McpCaller,
  tool: string,
  sandboxId: string | null,
): void {
  appendAudit(db, {
    org_id: member.organization.id,
    actor_kind: member.kind,
    actor_id: member.id,
    operation: `mcp:${tool}`,
    target: sandboxId ?? server.id,
    outcome: 'done',
    address: request.ip,
    request_id: request.id,
  }).catch(error => request.log.error({ requestId: request.id, error }, 'a tool call was not recorded'))
}
