import {
  ApiError,
  type CreateMcpServerRequest,
  McpPolicy,
  type UpdateMcpServerRequest,
} from '@sandglass/protocol'
import { sql } from 'kysely'
import type { Actor } from '../../auth/principal.ts'
import type { Tx } from '../../db/database.ts'
import { endSandbox } from '../../records/end-sandbox.ts'
import { lockSandbox, type SandboxRow } from '../../records/sandboxes.ts'
import { defaultProjectId } from '../projects/store.ts'
import { projectFor } from '../sandboxes/create.ts'
import type { Catalogue } from '../shapes/catalogue.ts'
import {
  countServers,
  deleteServerRow,
  insertServer,
  lockServer,
  type McpServerRow,
  selectDefaultServer,
  setSandbox,
  updateServerRow,
} from './store.ts'

/** Bounds the response of listMcpServers, which has no pages. */
export const maxServers = 1000

export async function createServer(
  tx: Tx,
  member: Actor,
  shapes: Catalogue,
  request: CreateMcpServerRequest,
): Promise<McpServerRow> {
  const orgId = member.organization.id
  const { name, projectId, tools, screenLongestSide, ...wanted } = request
  const policy = { ...wanted, sandboxShape: wanted.sandboxShape || firstAllowedShape(shapes, member) }
  shapes.require(policy.sandboxShape, member)
  if ((await countServers(tx, orgId)) >= maxServers) throw new ApiError('mcpServer.TOO_MANY')
  const project = await projectFor(tx, orgId, projectId)
  const fields = { name, policy, tools, screenLongestSide }
  const row = await insertServer(tx, { ...fields, orgId, projectId: project, isDefault: false })
  if (!row) throw new Error('a new MCP server was there already')
  return row
}

/** Returns the default server, and creates it if needed. Concurrent callers get the same server. */
export async function ensureDefaultServer(tx: Tx, member: Actor, shapes: Catalogue): Promise<McpServerRow> {
  const orgId = member.organization.id
  const made = await insertServer(tx, {
    orgId,
    projectId: await defaultProjectId(tx, orgId),
    isDefault: true,
    name: 'Default',
    tools: {},
    screenLongestSide: 1280,
    policy: McpPolicy.parse({ sandboxShape: firstAllowedShape(shapes, member) }),
  })
  const server = made ?? (await selectDefaultServer(tx, orgId))
  if (!server) throw new ApiError('mcpServer.NOT_FOUND')
  return server
}

function firstAllowedShape(shapes: Catalogue, member: Actor): string {
  const { planTier } = member.organization
  const shape = shapes.visibleTo(member).find(({ requiredPlanTier }) => requiredPlanTier <= planTier)
  if (!shape) throw new ApiError('shape.NOT_FOUND', { message: "The organization's plan includes no shape." })
  return shape.name
}

export async function updateServer(
  tx: Tx,
  member: Actor,
  shapes: Catalogue,
  id: string,
  request: UpdateMcpServerRequest,
): Promise<McpServerRow> {
  const server = await requireServer(tx, member, id)
  const { name = server.name, tools, screenLongestSide = server.screen_longest_side, ...changes } = request
  if (changes.sandboxShape !== undefined) shapes.require(changes.sandboxShape, member)
  const policy = McpPolicy.parse({ ...server.policy, ...changes })
  return updateServerRow(tx, id, {
    name,
    policy,
    screenLongestSide,
    tools: { ...server.tools, ...tools },
    sandboxWanted: policy.sandboxAutoCreation && server.current_sandbox_id === null,
  })
}

/** Deletes a server and the sandbox that it created. A sandbox that the server was set to is kept. */
export async function deleteServer(tx: Tx, member: Actor, id: string): Promise<void> {
  const { server, sandbox } = await lockWithSandbox(tx, member, id)
  await deleteServerRow(tx, server)
  if (sandbox && server.sandbox_made) await endSandbox(tx, sandbox, 'mcp-server-deleted')
}

/**
 * Sets the sandbox of a server. The previous sandbox is not deleted, even if the server created it; it runs until it
 * expires.
 */
export async function setServerToSandbox(
  tx: Tx,
  member: Actor,
  id: string,
  sandboxId: string | null,
): Promise<void> {
  if (sandboxId !== null && !(await lockSandbox(tx, member, sandboxId)))
    throw new ApiError('sandbox.NOT_FOUND')
  const server = await requireServer(tx, member, id)
  if (server.current_sandbox_id === sandboxId && sandboxId !== null) return
  const wanted = sandboxId === null && server.policy.sandboxAutoCreation
  await setSandbox(tx, id, { sandboxId, made: false, wanted })
}

/**
 * Locks the sandbox and then the server, which is the order that prevents deadlocks. Returns no sandbox if there is
 * none or if the caller may not see it. The server may get another sandbox while this waits for its lock, for example
 * the one that is created in advance. Then both locks are released, by returning to the savepoint, and taken again.
 */
export async function lockWithSandbox(
  tx: Tx,
  member: Actor,
  id: string,
): Promise<{ server: McpServerRow; sandbox: SandboxRow | undefined }> {
  for (;;) {
    await sql`SAVEPOINT unlocked`.execute(tx)
    const sandboxId = await currentSandboxId(tx, member, id)
    const sandbox = sandboxId === null ? undefined : await lockSandbox(tx, member, sandboxId)
    const server = await requireServer(tx, member, id)
    if (server.current_sandbox_id === sandboxId) return { server, sandbox }
    await sql`ROLLBACK TO SAVEPOINT unlocked`.execute(tx)
  }
}

async function currentSandboxId(tx: Tx, member: Actor, id: string): Promise<string | null> {
  const row = await tx
    .selectFrom('mcp_servers')
    .select('current_sandbox_id')
    .where('org_id', '=', member.organization.id)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.current_sandbox_id ?? null
}

async function requireServer(tx: Tx, member: Actor, id: string): Promise<McpServerRow> {
  const server = await lockServer(tx, member.organization.id, id)
  if (!server) throw new ApiError('mcpServer.NOT_FOUND')
  return server
}
