import { attempted } from '../../audit/store.ts'
import type { AuditWriter } from '../../audit/writer.ts'
import type { McpCaller } from './caller.ts'

/** Records a tool call before it runs, in the same way as operations inside a machine over HTTP are recorded. */
export function recordToolCall(
  audit: AuditWriter,
  { server, member, request }: McpCaller,
  tool: string,
  sandboxId: string | null,
): Promise<void> {
  return audit.append({
    org_id: member.organization.id,
    actor_kind: member.kind,
    actor_id: member.id,
    operation: `mcp:${tool}`,
    target: sandboxId ?? server.id,
    outcome: attempted,
    address: request.ip,
    request_id: request.id,
  })
}
