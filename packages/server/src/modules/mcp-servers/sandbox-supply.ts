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

/** The sandbox of a server. `created` is set if this call created it. */
interface Supplied {
  readonly sandbox: SandboxRow
  readonly created?: CreatedSandbox
}

/** Creates, replaces and deletes the sandboxes of MCP servers according to their policies. */
export class SandboxSupply {
  readonly #parts: SandboxParts
  readonly #log: Logger

  constructor(parts: SandboxParts, log: Logger) {
    this.#parts = parts
    this.#log = log
  }

  /** Returns the sandbox of a server, and creates one if it has none. Concurrent callers get the same sandbox. */
  ensure(server: McpServerRow, actor: Actor): Promise<SandboxRow> {
    return this.#ensure(server, actor, async (_tx, sandbox) => sandbox)
  }

  /** Deletes the sandbox of a server, if it has one, and creates a new one. */
  async replace(server: McpServerRow, actor: Actor): Promise<SandboxRow> {
    const supplied = await this.#ensure(server, actor, async (tx, sandbox) => {
      await endSandbox(tx, sandbox, 'deleted')
      return undefined
    })
    this.#parts.keeper.destroyDoomedSoon()
    return supplied
  }

  /** Deletes the sandbox of a server. Returns false if it has none. */
  async end(server: McpServerRow, actor: Actor): Promise<boolean> {
    const ended = await transactFor(this.#parts.db, server.org_id, async tx => {
      const { sandbox } = await this.#lock(tx, server, actor)
      if (!sandbox) return false
      await endSandbox(tx, sandbox, 'deleted')
      await record(tx, actor, 'deleteSandbox', sandbox.id)
      return true
    })
    this.#parts.keeper.destroyDoomedSoon()
    return ended
  }

  /** Creates the sandboxes that policies want before the first call. The next sweep retries those that fail. */
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

  async #ensure(
    server: McpServerRow,
    actor: Actor,
    /** Decides about an existing sandbox: if it is returned, it is kept and no new one is created. */
    keepOrEnd: (tx: Tx, sandbox: SandboxRow) => Promise<SandboxRow | undefined>,
  ): Promise<SandboxRow> {
    const { db, creation, onChange } = this.#parts
    const request = requestFor(server)
    const shape = creation.shapeFor(server.policy.sandboxShape, request, actor)
    const commit = async (target: Target): Promise<Supplied> => {
      const supplied = await transactFor(db, server.org_id, async (tx): Promise<Supplied> => {
        const { sandbox: present } = await this.#lock(tx, server, actor)
        const kept = present && (await keepOrEnd(tx, present))
        if (kept) return { sandbox: kept }
        const created = await creation.create(tx, actor, shape, request, target)
        await setSandbox(tx, server.id, { sandboxId: created.sandbox.id, made: true, wanted: false })
        await record(tx, actor, 'createSandbox', created.sandbox.id)
        return { sandbox: created.sandbox, created }
      })
      if (supplied.created) creation.carryOut(supplied.created)
      return supplied
    }
    const { sandbox } = await creation.place(shape, request, commit, {
      // The rows are written here, and the chosen node is notified and creates the machine.
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

/** Sets the idle time after parsing, because a policy may choose a shorter one than createSandbox accepts. */
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
