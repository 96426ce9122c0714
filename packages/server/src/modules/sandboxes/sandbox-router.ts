import type { Machine } from '@sandglass/machines/contract'
import { ApiError, type Operation } from '@sandglass/protocol'
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { Database, Pool, Prepared } from '../../db/database.ts'
import type { Api, Call } from '../../http/api.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import { gone } from '../../placement/gone.ts'
import type { Placement } from '../../placement/placement.ts'
import { type SandboxRow, selectSandbox, touch } from '../../records/sandboxes.ts'
import type { KnownSandboxes } from './known-sandboxes.ts'
import type { SandboxUse } from './use.ts'

export interface SandboxRouterParts {
  readonly pool: Pool
  readonly keeper: MachineKeeper
  readonly placement: Placement
  readonly known: KnownSandboxes
  readonly use: SandboxUse
}

/** A sandbox that runs, and its machine, which this process has. */
export interface Inside {
  readonly sandbox: SandboxRow
  readonly machine: Machine
}

/** The way from a sandbox's id to its machine. */
export class SandboxRouter {
  readonly #api: Api
  readonly #db: Database
  readonly #prepared: Prepared
  readonly #keeper: MachineKeeper
  readonly #placement: Placement
  readonly #known: KnownSandboxes
  readonly #use: SandboxUse

  constructor(api: Api, { pool, keeper, placement, known, use }: SandboxRouterParts) {
    this.#api = api
    this.#db = pool.db
    this.#prepared = pool.prepared
    this.#keeper = keeper
    this.#placement = placement
    this.#known = known
    this.#use = use
  }

  /** The sandbox, as far as the caller may see it. Asking for it counts as using it. */
  async sandbox(member: OrganizationPrincipal, id: string): Promise<SandboxRow> {
    const sandbox = await selectSandbox(this.#prepared, member, id)
    if (!sandbox) throw new ApiError('sandbox.NOT_FOUND')
    await touch(this.#db, sandbox)
    return sandbox
  }

  /** The same for whoever acts in it, and does so again and again. */
  async #used(member: OrganizationPrincipal, id: string): Promise<SandboxRow> {
    const sandbox = await this.#known.find(member, id)
    if (!sandbox) throw new ApiError('sandbox.NOT_FOUND')
    if (sandbox.idle_seconds !== null) this.#use.touched(id)
    return sandbox
  }

  /** Serves an operation on the process that has the machine; others forward the call to it. */
  serveAtMachine<
    Path extends `${string}/sandboxes/{id}${string}`,
    Query extends z.ZodType,
    Body extends z.ZodType,
    Response extends z.ZodType,
  >(
    operation: Operation<Path, Query, Body, Response>,
    handle: (
      call: Call<Path, z.output<Query>, z.output<Body>>,
      sandbox: SandboxRow,
    ) => Promise<z.input<Response> | FastifyReply>,
  ): void {
    this.#api.serve(operation, async call => {
      const { id } = call.params as { readonly id: string }
      const sandbox = await this.#used(call.member, id)
      const location = this.#placement.locate(sandbox)
      if (location.at === 'here') return handle(call, sandbox)
      if (location.at === 'gone') throw gone(location)
      return this.#placement.peers.forward(call.request, call.reply, location.nodeId)
    })
  }

  /** Serves an operation inside a machine that runs; 409 where it does not. */
  serveInside<
    Path extends `${string}/sandboxes/{id}${string}`,
    Query extends z.ZodType,
    Body extends z.ZodType,
    Response extends z.ZodType,
  >(
    operation: Operation<Path, Query, Body, Response>,
    handle: (
      call: Call<Path, z.output<Query>, z.output<Body>>,
      inside: Inside,
    ) => Promise<z.input<Response> | FastifyReply>,
  ): void {
    this.serveAtMachine(operation, async (call, sandbox) => handle(call, await this.inside(sandbox)))
  }

  /** The machine of a sandbox that runs, on the process that has it. */
  async inside(sandbox: SandboxRow): Promise<Inside> {
    if (sandbox.status !== 'RUNNING')
      throw new ApiError('sandbox.STATE', {
        message: `The sandbox is ${sandbox.status}; it has to be RUNNING for this.`,
      })
    const id = sandbox.machine_id ?? ''
    await this.#keeper.arrival(id)
    const machine = this.#keeper.machine(id)
    const reason = this.#keeper.whyUnreachable(id)
    if (reason !== undefined)
      throw new ApiError('sandbox.UNREACHABLE', { message: `${reason} Nothing was done.`, retryAfter: 1 })
    // It ended a moment ago, or is being taken up again after a start: its row will say so.
    if (!machine) throw new ApiError('sandbox.UNREACHABLE', { retryAfter: 1 })
    return { sandbox, machine }
  }
}
