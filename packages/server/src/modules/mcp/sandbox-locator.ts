import { ApiError } from '@sandglass/protocol'
import { ToolError } from '@sandglass/protocol/tools'
import type { Prepared } from '../../db/database.ts'
import { transactFor } from '../../db/transact.ts'
import { actorFrom, attribute } from '../../events/actor.ts'
import { gone } from '../../placement/gone.ts'
import type { Placement } from '../../placement/placement.ts'
import { lockSandbox, type SandboxRow, selectSandbox, touch } from '../../records/sandboxes.ts'
import type { SandboxSupply } from '../mcp-servers/sandbox-supply.ts'
import { type McpServerInUse, selectServer } from '../mcp-servers/store.ts'
import type { SandboxParts } from '../sandboxes/parts.ts'
import type { PendingSandboxes } from '../sandboxes/pending-sandboxes.ts'
import type { Inside, SandboxRouter } from '../sandboxes/sandbox-router.ts'
import type { McpCaller } from './caller.ts'
import type { RunningCall } from './running-calls.ts'
import type { SandboxControl } from './tools/tool.ts'

/** The machine of a server's sandbox, which is in use until `end` is called. */
export interface FoundHere {
  readonly inside: Inside
  readonly end: () => void
}

/** The machine of a server's sandbox, or the node that has it if this process does not. */
export type Found = FoundHere | { readonly elsewhere: string }

/** Finds the sandbox that a call works in, and creates one if the MCP server has none. */
export class SandboxLocator {
  readonly #sandboxes: SandboxParts
  readonly #placement: Placement
  readonly #prepared: Prepared
  readonly #router: SandboxRouter
  readonly #supply: SandboxSupply
  readonly #pending: PendingSandboxes

  constructor(
    sandboxes: SandboxParts,
    placement: Placement,
    prepared: Prepared,
    router: SandboxRouter,
    supply: SandboxSupply,
    pending: PendingSandboxes,
  ) {
    this.#sandboxes = sandboxes
    this.#placement = placement
    this.#prepared = prepared
    this.#router = router
    this.#supply = supply
    this.#pending = pending
  }

  async find(caller: McpCaller, running: RunningCall, signal: AbortSignal): Promise<Found> {
    let isReplaced = false
    for (;;) {
      signal.throwIfAborted()
      // Read both at once, because the sandbox is usually still the one that the server had when the request came.
      const likely = caller.server.current_sandbox_id
      const [server, known] = await Promise.all([this.#server(caller), this.#sandbox(caller, likely)])
      const id = server.current_sandbox_id ?? (await this.#supply.ensure(server, caller.member)).id
      // From here on the call is aborted when the sandbox is deleted.
      running.sandboxId = id
      const sandbox = known?.id === id ? known : await this.#sandbox(caller, id)
      const location = sandbox && this.#placement.locate(sandbox)
      if (!sandbox || !location) {
        if ((await this.#server(caller)).current_sandbox_id === id)
          throw new ApiError('mcpServer.SANDBOX_ELSEWHERE')
        running.sandboxId = undefined
      } else if (sandbox.status === 'ERROR' && server.sandbox_made && !isReplaced) {
        // Replace it before the call is forwarded, because the node of the sandbox may be lost.
        running.sandboxId = undefined
        isReplaced = true
        await this.#supply.replace(server, caller.member)
      } else if (location.at === 'node') return { elsewhere: location.nodeId }
      else if (location.at === 'gone') throw gone(location)
      else if (sandbox.status === 'PENDING') await this.#pending.outcome(caller.member, sandbox.id, signal)
      else return await this.#enter(caller, sandbox)
    }
  }

  /** Returns the node of the sandbox if it is not this node. */
  async nodeElsewhere(caller: McpCaller): Promise<string | undefined> {
    const { current_sandbox_id: id } = await this.#server(caller)
    const sandbox = await this.#sandbox(caller, id)
    const location = sandbox && this.#placement.locate(sandbox)
    return location?.at === 'node' ? location.nodeId : undefined
  }

  control(caller: McpCaller, signal: AbortSignal): SandboxControl {
    const { member } = caller
    const ready = async ({ id }: SandboxRow) => {
      const row = await this.#pending.outcome(member, id, signal)
      signal.throwIfAborted()
      if (row?.status !== 'RUNNING') throw new ApiError('machine.FAILED')
      return row
    }
    return {
      recreate: async () => ready(await this.#supply.replace(await this.#server(caller), member)),
      restart: async () => ready(await this.#restart(caller, signal)),
      delete: async () => this.#supply.end(await this.#server(caller), member),
    }
  }

  async #restart(caller: McpCaller, signal: AbortSignal): Promise<SandboxRow> {
    const { db, power } = this.#sandboxes
    const { current_sandbox_id: id } = await this.#server(caller)
    if (id === null) return this.#supply.ensure(await this.#server(caller), caller.member)
    const found = await this.#sandbox(caller, id)
    const lost = found && (await power.lost.find(found))
    const restarted = await transactFor(db, caller.member.organization.id, async tx => {
      attribute(tx, caller.member)
      const sandbox = await lockSandbox(tx, caller.member, id)
      if (!sandbox) throw new ApiError('mcpServer.SANDBOX_ELSEWHERE')
      await power.beginRestart(tx, sandbox, lost)
      return sandbox
    })
    await power.restart(restarted, lost)
    signal.throwIfAborted()
    const sandbox = await this.#sandbox(caller, id)
    if (!sandbox) throw new ApiError('mcpServer.SANDBOX_GONE')
    return sandbox
  }

  async #enter({ member }: McpCaller, sandbox: SandboxRow): Promise<FoundHere> {
    if (sandbox.status !== 'RUNNING' && !sandbox.auto_resume)
      throw new ToolError(
        `The computer is ${sandbox.paused ? 'paused' : sandbox.status}: ${sandbox.reason ?? 'no reason is known.'} Call restart-sandbox if you have it, or ask a person to start it again.`,
      )
    const end = this.#sandboxes.work.begin(sandbox, 'call')
    try {
      await touch(this.#sandboxes.db, sandbox)
      return { inside: { ...(await this.#router.inside(sandbox)), actor: actorFrom(member) }, end }
    } catch (error) {
      end()
      throw error
    }
  }

  /** Returns undefined if the caller may not see the sandbox. */
  async #sandbox({ member }: McpCaller, id: string | null): Promise<SandboxRow | undefined> {
    return id === null ? undefined : selectSandbox(this.#prepared, member, id)
  }

  async #server({ server: { id } }: McpCaller): Promise<McpServerInUse> {
    const server = await selectServer(this.#prepared, id)
    if (!server) throw new ApiError('mcpServer.NOT_FOUND')
    return server
  }
}
