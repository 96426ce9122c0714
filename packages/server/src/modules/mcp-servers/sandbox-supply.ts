import { ApiError, CreateSandboxRequest } from '@sandglass/protocol'
import type { Logger } from 'pino'
import { appendAudit } from '../../audit/store.ts'
import type { Actor } from '../../auth/principal.ts'
import { findOrganizationFacts } from '../../auth/stored-credentials.ts'
import type { Tx } from '../../db/database.ts'
import { transactFor } from '../../db/transact.ts'
import { endSandbox } from '../../records/end-sandbox.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import type { CreatedSandbox, Target } from '../sandboxes/create.ts'
import type { SandboxParts } from '../sandboxes/parts.ts'
import { lockWithSandbox } from './service.ts'
import { type McpServerRow, selectServersWantingSandbox, setSandbox } from './store.ts'

/** What a server has now; `created` where it was made by this call. */
interface Made {
  readonly sandbox: SandboxRow
  readonly created?: CreatedSandbox
}

/** Sees to it that MCP servers have their sandboxes, as their policies say. */
export class SandboxSupply {
  readonly #parts: SandboxParts
  readonly #log: Logger

  constructor(parts: SandboxParts, log: Logger) {
    this.#parts = parts
    this.#log = log
  }

  /** The sandbox of a server; where it has none, a new one. Of those who ask at the same time one makes it. */
  ensure(server: McpServerRow, actor: Actor): Promise<SandboxRow> {
    return this.#make(server, actor, async (_tx, sandbox) => sandbox)
  }

  /** A new sandbox in place of the one that there is. */
  async replace(server: McpServerRow, actor: Actor): Promise<SandboxRow> {
    const made = await this.#make(server, actor, async (tx, sandbox) => {
      await endSandbox(tx, sandbox)
      return undefined
    })
    void this.#parts.keeper.destroyDoomed()
    return made
  }

  /** Deletes the sandbox of a server; false where it has none. */
  async end(server: McpServerRow, actor: Actor): Promise<boolean> {
    const ended = await transactFor(this.#parts.db, server.org_id, async tx => {
      const { sandbox } = await this.#lock(tx, server, actor)
      if (!sandbox) return false
      await endSandbox(tx, sandbox)
      await record(tx, actor, 'deleteSandbox', sandbox.id)
      return true
    })
    void this.#parts.keeper.destroyDoomed()
    return ended
  }

  /** Makes the sandboxes that are to be there ahead of any call. One that cannot be made now is tried again later. */
  async createInAdvance(): Promise<void> {
    for (const server of await selectServersWantingSandbox(this.#parts.db))
      try {
        const organization = await findOrganizationFacts(this.#parts.db, server.org_id)
        if (organization)
          await this.ensure(server, { kind: 'mcpServer', id: server.id, role: 'member', organization })
      } catch (error) {
        this.#log.warn({ mcpServer: server.id, error }, 'a sandbox could not be created in advance')
      }
  }

  async #make(
    server: McpServerRow,
    actor: Actor,
    /** What becomes of one that is there: it is kept where it is given back. */
    withPresent: (tx: Tx, sandbox: SandboxRow) => Promise<SandboxRow | undefined>,
  ): Promise<SandboxRow> {
    const { db, creation, onChange } = this.#parts
    const request = requestFor(server)
    const shape = creation.shapeFor(request, actor)
    const commit = async (target: Target): Promise<Made> => {
      const made = await transactFor(db, server.org_id, async (tx): Promise<Made> => {
        const { sandbox: present } = await this.#lock(tx, server, actor)
        const kept = present && (await withPresent(tx, present))
        if (kept) return { sandbox: kept }
        const created = await creation.create(tx, actor, shape, request, target)
        await setSandbox(tx, server.id, { sandboxId: created.sandbox.id, made: true, wanted: false })
        await record(tx, actor, 'createSandbox', created.sandbox.id)
        return { sandbox: created.sandbox, created }
      })
      if (made.created) creation.carryOut(made.created)
      return made
    }
    const { sandbox } = await creation.place(shape, request, commit, {
      // The rows are written here, and the node that has the machine hears of it.
      elsewhere: nodeId => commit({ nodeId, isHere: false, machine: 'any' }),
      isPlaced: false,
    })
    onChange()
    return sandbox
  }

  async #lock(tx: Tx, { id }: McpServerRow, actor: Actor) {
    const locked = await lockWithSandbox(tx, actor, id)
    if (locked.server.current_sandbox_id !== null && !locked.sandbox)
      throw new ApiError('mcpServer.SANDBOX_ELSEWHERE')
    return locked
  }
}

/** Idle times shorter than a caller of createSandbox may ask for are the policy's right. */
function requestFor({ id, name, project_id: projectId, policy }: McpServerRow) {
  const request = CreateSandboxRequest.parse({
    name,
    projectId,
    labels: { 'mcp-server': id },
    shapeName: policy.sandboxShape,
    maxLifeSeconds: policy.sandboxMaxLifetimeSeconds,
  })
  return { ...request, idleSeconds: policy.sandboxMaxIdleTimeSeconds }
}

async function record(tx: Tx, actor: Actor, operation: string, target: string): Promise<void> {
  await appendAudit(tx, {
    org_id: actor.organization.id,
    actor_kind: actor.kind,
    actor_id: actor.id,
    operation,
    target,
    outcome: 'done',
    address: null,
    request_id: '',
  })
}
