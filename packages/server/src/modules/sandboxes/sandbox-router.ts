import { ApiError, type Operation } from '@sandglass/protocol'
import type { RunningMachine } from '@sandglass/workers/contract'
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { Database, Pool, Prepared } from '../../db/database.ts'
import { actorFrom, type EventActor } from '../../events/actor.ts'
import type { Api, Call } from '../../http/api.ts'
import { requireSocket, type SocketResponse } from '../../http/socket-response.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import { gone } from '../../placement/gone.ts'
import type { Placement } from '../../placement/placement.ts'
import { type SandboxRow, selectSandbox, touch } from '../../records/sandboxes.ts'
import type { KnownSandboxes } from './known-sandboxes.ts'
import type { SandboxWork } from './lifecycle/sandbox-work.ts'
import type { Waking } from './lifecycle/waking.ts'
import type { SandboxUse } from './use.ts'

export interface SandboxRouterParts {
  readonly pool: Pool
  readonly keeper: MachineKeeper
  readonly placement: Placement
  readonly known: KnownSandboxes
  readonly use: SandboxUse
  readonly work: SandboxWork
  readonly waking: Waking
}

/** A running sandbox and its machine, which belongs to this process. */
export interface Inside {
  readonly sandbox: SandboxRow
  readonly machine: RunningMachine
  /** Who acts inside. */
  readonly actor: EventActor
}

type SandboxPath = `${string}/sandboxes/{sandboxId}${string}`

/** Answers a call with what is given of its sandbox. */
type Handle<
  Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Response extends z.ZodType,
  Given,
> = (
  call: Call<Path, z.output<Query>, z.output<Body>>,
  given: Given,
) => Promise<z.input<Response> | FastifyReply>

/** Finds the machine of a sandbox, and serves operations in the process that has it. */
export class SandboxRouter {
  readonly #api: Api
  readonly #db: Database
  readonly #prepared: Prepared
  readonly #keeper: MachineKeeper
  readonly #placement: Placement
  readonly #known: KnownSandboxes
  readonly #use: SandboxUse
  readonly #waking: Waking
  readonly work: SandboxWork

  constructor(api: Api, { pool, keeper, placement, known, use, work, waking }: SandboxRouterParts) {
    this.#api = api
    this.#db = pool.db
    this.#prepared = pool.prepared
    this.#keeper = keeper
    this.#placement = placement
    this.#known = known
    this.#use = use
    this.#waking = waking
    this.work = work
  }

  /** Returns a sandbox that the caller may see, and renews its idle timeout. */
  async sandbox(member: OrganizationPrincipal, id: string): Promise<SandboxRow> {
    const sandbox = await selectSandbox(this.#prepared, member, id)
    if (!sandbox) throw new ApiError('sandbox.NOT_FOUND')
    await touch(this.#db, sandbox)
    return sandbox
  }

  /** Returns a sandbox that the caller may see, for operations that do not count as use. */
  async find(member: OrganizationPrincipal, id: string): Promise<SandboxRow> {
    const sandbox = await this.#known.find(member, id)
    if (!sandbox) throw new ApiError('sandbox.NOT_FOUND')
    return sandbox
  }

  /** Does the same, and renews its idle timeout without a wait. */
  async #used(member: OrganizationPrincipal, id: string): Promise<SandboxRow> {
    const sandbox = await this.find(member, id)
    if (sandbox.idle_seconds !== null) this.#use.touched(id)
    return sandbox
  }

  /**
   * Serves an operation in the process that has the machine. Other processes forward the call to it. The sandbox is in use until
   * the response has been sent, or its connection is closed.
   */
  serveAtMachine<
    Path extends SandboxPath,
    Query extends z.ZodType,
    Body extends z.ZodType,
    Response extends z.ZodType,
  >(
    operation: Operation<Path, Query, Body, Response>,
    handle: Handle<Path, Query, Body, Response, SandboxRow>,
  ): void {
    this.#api.serve(operation, call =>
      this.atMachine(call, sandboxIdOf(call), sandbox => handle(call, sandbox)),
    )
  }

  /** Answers any call in the process that has the machine of a sandbox, which is in use as it is for {@link serveAtMachine}. */
  async atMachine<T>(
    call: Pick<Call<string, unknown, unknown>, 'member' | 'request' | 'reply'>,
    sandboxId: string,
    answer: (sandbox: SandboxRow) => Promise<T>,
  ): Promise<T | FastifyReply> {
    const sandbox = await this.#used(call.member, sandboxId)
    return this.here(call, sandbox, () => {
      call.reply.raw.once('close', this.work.begin(sandbox, 'call'))
      return answer(sandbox)
    })
  }

  /**
   * Serves an operation that only watches a sandbox, in the process that has the machine. It does not count as use and wakes
   * nothing, so the machine may stop under it.
   */
  serveUnnoticed<
    Path extends SandboxPath,
    Query extends z.ZodType,
    Body extends z.ZodType,
    Response extends z.ZodType,
  >(
    operation: Operation<Path, Query, Body, Response>,
    handle: Handle<Path, Query, Body, Response, SandboxRow>,
  ): void {
    this.#api.serve(operation, async call => {
      const sandbox = await this.find(call.member, sandboxIdOf(call))
      return this.here(call, sandbox, () => handle(call, sandbox))
    })
  }

  /**
   * Serves an operation that answers with a WebSocket in the process that has the machine. The sandbox is in use until it is
   * open. Whether it is afterwards depends on what goes through it, which the operation itself has to report.
   */
  serveSocket<Path extends SandboxPath>(
    operation: Operation<Path, z.ZodType<undefined>, z.ZodType<undefined>, z.ZodType<undefined>>,
    handle: (
      call: Call<Path, undefined, undefined>,
      sandbox: SandboxRow,
      response: SocketResponse,
    ) => Promise<FastifyReply>,
  ): void {
    this.#api.serve(operation, async call => {
      const sandbox = await this.#called(call)
      const response = requireSocket(call.reply)
      return this.here(call, sandbox, async () => {
        const end = this.work.begin(sandbox, 'call')
        return await handle(call, sandbox, response).finally(end)
      })
    })
  }

  #called(call: Pick<Call<string, unknown, unknown>, 'member' | 'params'>): Promise<SandboxRow> {
    return this.#used(call.member, sandboxIdOf(call))
  }

  /** Answers a call here if this process has the machine, and forwards it otherwise. */
  async here<T>(
    { request, reply }: Pick<Call<string, unknown, unknown>, 'request' | 'reply'>,
    sandbox: SandboxRow,
    answer: () => Promise<T>,
  ): Promise<T | FastifyReply> {
    const location = this.#placement.locate(sandbox)
    if (location.at === 'here') return await answer()
    if (location.at === 'gone') throw gone(location)
    return await this.#placement.peers.forward(request, reply, location.nodeId)
  }

  /** Serves an operation inside a running machine. If it does not run and is not woken, the response is a 409. */
  serveInside<
    Path extends SandboxPath,
    Query extends z.ZodType,
    Body extends z.ZodType,
    Response extends z.ZodType,
  >(
    operation: Operation<Path, Query, Body, Response>,
    handle: Handle<Path, Query, Body, Response, Inside>,
  ): void {
    this.serveAtMachine(operation, async (call, sandbox) =>
      handle(call, { ...(await this.inside(sandbox)), actor: actorFrom(call.member) }),
    )
  }

  /**
   * Returns the machine of a running sandbox, and wakes it first if its rules say so. Call this only in the process that has the
   * machine, and after the call was counted as work in the sandbox.
   */
  async inside(found: SandboxRow): Promise<Omit<Inside, 'actor'>> {
    const sandbox = await this.#waking.awake(found)
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
    // The machine has just ended, or is being recovered after a start. The row of the sandbox will soon reflect it.
    if (!machine) throw new ApiError('sandbox.UNREACHABLE', { retryAfter: 1 })
    return { sandbox, machine }
  }
}

function sandboxIdOf({ params }: Pick<Call<string, unknown, unknown>, 'params'>): string {
  const { sandboxId } = params as { readonly sandboxId: string }
  return sandboxId
}
