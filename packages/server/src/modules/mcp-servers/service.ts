import {
  ApiError,
  type CreateMcpServerRequest,
  McpPolicy,
  type UpdateMcpServerRequest,
} from '@sandglass/protocol'
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

/** Keeps listMcpServers, which has no pages, an answer of bounded size. */
const maxServers = 1000

export async function createServer(
  tx: Tx,
  member: Actor,
  shapes: Catalogue,
  request: CreateMcpServerRequest,
): Promise<McpServerRow> {
  const orgId = member.organization.id
  const { name, projectId, tools, screenLongestSide, ...policy } = request
  shapes.require(policy.sandboxShape, member)
  if ((await countServers(tx, orgId)) >= maxServers) throw new ApiError('mcpServer.TOO_MANY')
  const project = await projectFor(tx, orgId, projectId)
  const fields = { name, policy, tools, screenLongestSide }
  const row = await insertServer(tx, { ...fields, orgId, projectId: project, isDefault: false })
  if (!row) throw new Error('a new MCP server was there already')
  return row
}

/** The default server; of those who make it at the same time one does, and all get that one. */
export async function ensureDefaultServer(tx: Tx, member: Actor, shapes: Catalogue): Promise<McpServerRow> {
  const orgId = member.organization.id
  const made = await insertServer(tx, {
    orgId,
    projectId: await defaultProjectId(tx, orgId),
    isDefault: true,
    name: 'Default',
    tools: {},
    screenLongestSide: 1280,
    policy: McpPolicy.parse({ sandboxShape: usualShape(shapes, member) }),
  })
  const server = made ?? (await selectDefaultServer(tx, orgId))
  if (!server) throw new ApiError('mcpServer.NOT_FOUND')
  return server
}

/** The first shape that the caller may use. */
function usualShape(shapes: Catalogue, member: Actor): string {
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

/** Deletes a server, and the sandbox that it made; one that it was set to stays. */
export async function deleteServer(tx: Tx, member: Actor, id: string): Promise<void> {
  const { server, sandbox } = await lockWithSandbox(tx, member, id)
  await deleteServerRow(tx, id)
  if (sandbox && server.sandbox_made) await endSandbox(tx, sandbox)
}

/** A sandbox that the server made and is no longer set to goes on until its time is over. */
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

/** Both locked, in the order that everybody keeps; without a sandbox where there is none or it is not the caller's to see. */
export async function lockWithSandbox(
  tx: Tx,
  member: Actor,
  id: string,
): Promise<{ server: McpServerRow; sandbox: SandboxRow | undefined }> {
  const orgId = member.organization.id
  const current = await tx
    .selectFrom('mcp_servers')
    .select('current_sandbox_id')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst()
  const sandboxId = current?.current_sandbox_id ?? null
  const sandbox = sandboxId === null ? undefined : await lockSandbox(tx, member, sandboxId)
  const server = await requireServer(tx, member, id)
  return { server, sandbox: server.current_sandbox_id === sandboxId ? sandbox : undefined }
}

async function requireServer(tx: Tx, member: Actor, id: string): Promise<McpServerRow> {
  const server = await lockServer(tx, member.organization.id, id)
  if (!server) throw new ApiError('mcpServer.NOT_FOUND')
  return server
}
