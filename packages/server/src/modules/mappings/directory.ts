import type { Destination } from '@sandglass/gateway/mappings'
import { ApiError } from '@sandglass/protocol'
import type { Pool } from '../../db/database.ts'
import { asApiError } from '../../db/faults.ts'
import type { Listener } from '../../db/listener.ts'
import { VouchedCache } from '../../db/vouched-cache.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import type { SandboxUse } from '../sandboxes/use.ts'
import { type MappedSandbox, selectMappedSandbox } from './store.ts'

const retrySeconds = 2

/** Where each mapping leads right now. */
export class MappingDirectory {
  readonly #pool: Pool
  readonly #keeper: MachineKeeper
  readonly #listener: Pick<Listener, 'isFresh'>
  readonly #use: SandboxUse
  readonly #sandboxes = new VouchedCache<MappedSandbox | undefined>()

  constructor(pool: Pool, keeper: MachineKeeper, listener: Pick<Listener, 'isFresh'>, use: SandboxUse) {
    this.#pool = pool
    this.#keeper = keeper
    this.#listener = listener
    this.#use = use
  }

  /** No promise where it is remembered. */
  readonly find = (id: string): Destination | Promise<Destination> => {
    const remembered = this.#sandboxes.recall(id, this.#listener)
    if (remembered) return this.#into(remembered)
    return this.#sandboxes
      .get(id, this.#listener, () => selectMappedSandbox(this.#pool.prepared, id))
      .catch(error => {
        // A database that cannot be reached is a 503 here as everywhere: nothing was asked of the guest yet.
        throw asApiError(error) ?? error
      })
      .then(sandbox => this.#into(sandbox))
  }

  #into(sandbox: MappedSandbox | undefined): Destination {
    if (!sandbox) throw new ApiError('mapping.NOT_FOUND')
    const { status, node_id, node_url, machine_id, target } = sandbox
    if (status !== 'RUNNING')
      throw new ApiError('mapping.NOT_RUNNING', {
        message: `This mapping's sandbox is ${status}.`,
        retryAfter: retrySeconds,
      })
    if (node_id !== this.#keeper.nodeId) {
      if (node_url === null) throw new ApiError('node.GONE', { retryAfter: retrySeconds })
      return { nodeUrl: node_url }
    }
    const machine = this.#keeper.machine(machine_id ?? '')
    // It ended a moment ago, or is being taken up again after a start: its row will say so.
    if (!machine) throw new ApiError('sandbox.UNREACHABLE', { retryAfter: retrySeconds })
    return { machine, target, onUse: () => this.#touch(sandbox) }
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
