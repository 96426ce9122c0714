import type { Destination } from '@sandglass/mappings'
import { ApiError } from '@sandglass/protocol'
import type { Logger } from 'pino'
import type { Pool } from '../../db/database.ts'
import { asApiError } from '../../db/faults.ts'
import type { Listener } from '../../db/listener.ts'
import { VouchedCache } from '../../db/vouched-cache.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import { gone } from '../../placement/gone.ts'
import type { Placement } from '../../placement/placement.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import type { SandboxWork } from '../sandboxes/lifecycle/sandbox-work.ts'
import type { Waking } from '../sandboxes/lifecycle/waking.ts'
import type { SandboxUse } from '../sandboxes/use.ts'
import { OpenedPorts } from './opened-ports.ts'
import { type MappedSandbox, selectMappedSandbox } from './store.ts'

const retrySeconds = 2

export interface DirectoryParts {
  readonly pool: Pool
  readonly keeper: MachineKeeper
  readonly placement: Placement
  readonly listener: Pick<Listener, 'isFresh'>
  readonly use: SandboxUse
  readonly log: Logger
  readonly work: SandboxWork
  readonly waking: Waking
}

/** Finds the current destination of a mapping: a machine of this process, or a route to another node. */
export class MappingDirectory {
  readonly #pool: Pool
  readonly #keeper: MachineKeeper
  readonly #placement: Placement
  readonly #listener: Pick<Listener, 'isFresh'>
  readonly #use: SandboxUse
  readonly #ports: OpenedPorts
  readonly #work: SandboxWork
  readonly #waking: Waking
  readonly #sandboxes = new VouchedCache<MappedSandbox | undefined>()

  constructor({ pool, keeper, placement, listener, use, log, work, waking }: DirectoryParts) {
    this.#pool = pool
    this.#keeper = keeper
    this.#placement = placement
    this.#listener = listener
    this.#use = use
    this.#ports = new OpenedPorts(pool.db, log)
    this.#work = work
    this.#waking = waking
  }

  /** Returns without a promise if the sandbox is cached, because a promise would slow down every request. */
  readonly find = (id: string): Destination | Promise<Destination> => {
    const cached = this.#sandboxes.recall(id, this.#listener)
    if (cached) return this.#destinationOf(cached)
    return withApiErrors(
      this.#sandboxes
        .get(id, this.#listener, () => selectMappedSandbox(this.#pool.prepared, id))
        .then(sandbox => this.#destinationOf(sandbox)),
    )
  }

  /** Returns where a port of a sandbox leads, whether it is mapped or not. */
  findPort(sandbox: SandboxRow, port: number): Destination | Promise<Destination> {
    return this.#destinationOf({ ...sandbox, target: `localhost:${port}`, wait_seconds: null })
  }

  #destinationOf(sandbox: MappedSandbox | undefined): Destination | Promise<Destination> {
    if (!sandbox) throw new ApiError('mapping.NOT_FOUND')
    const location = this.#placement.locate(sandbox)
    const isAsleep = sandbox.status !== 'RUNNING' && sandbox.auto_resume
    // A sandbox that may be woken is found by the process that has its machine, which wakes it.
    if (sandbox.status !== 'RUNNING' && !isAsleep) throw notRunning(sandbox.status)
    if (location.at === 'gone') throw gone(location)
    if (location.at === 'node')
      return withApiErrors(
        this.#placement.peers.routeTo(location.nodeId).then(route => ({ route, waitMs: waitMsOf(sandbox) })),
      )
    if (isAsleep || this.#work.opened(sandbox.id)) return withApiErrors(this.#wake(sandbox))
    return this.#machineOf(sandbox, sandbox.machine_id)
  }

  async #wake(mapped: MappedSandbox): Promise<Destination> {
    const { status, machine_id } = await this.#waking.awakeById(mapped.id)
    if (status !== 'RUNNING') throw notRunning(status)
    await this.#keeper.arrival(machine_id ?? '')
    return this.#machineOf(mapped, machine_id)
  }

  #machineOf(sandbox: MappedSandbox, machineId: string | null): Destination {
    const machine = this.#keeper.machine(machineId ?? '')
    // The machine has just ended, or is being recovered after a start. The row of the sandbox will soon reflect it.
    if (!machine) throw new ApiError('sandbox.UNREACHABLE', { retryAfter: retrySeconds })
    return {
      machine: this.#ports.watch(machine, sandbox),
      target: sandbox.target,
      waitMs: waitMsOf(sandbox),
      onUse: () => this.#touch(sandbox),
    }
  }

  forget(id: string): void {
    if (id === '*') this.#sandboxes.forgetAll()
    else this.#sandboxes.forget(id)
  }

  forgetAll(): void {
    this.#sandboxes.forgetAll()
  }

  #touch({ id, idle_seconds }: MappedSandbox): void {
    if (idle_seconds !== null) this.#use.touched(id)
  }
}

function waitMsOf({ wait_seconds }: MappedSandbox): number | undefined {
  return wait_seconds === null ? undefined : wait_seconds * 1000
}

function notRunning(status: string): ApiError {
  return new ApiError('mapping.NOT_RUNNING', {
    message: `This mapping's sandbox is ${status}.`,
    retryAfter: retrySeconds,
  })
}

/**
 * Reports an unreachable database as a 503, as everywhere else. The client may retry, because nothing was sent to the
 * guest yet.
 */
function withApiErrors<T>(found: Promise<T>): Promise<T> {
  return found.catch(error => {
    throw asApiError(error) ?? error
  })
}
