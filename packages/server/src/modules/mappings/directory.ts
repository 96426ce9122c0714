import type { Destination } from '@sandglass/gateway/mappings'
import { ApiError } from '@sandglass/protocol'
import type { Logger } from 'pino'
import type { Pool } from '../../db/database.ts'
import type { Listener } from '../../db/listener.ts'
import { VouchedCache } from '../../db/vouched-cache.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import { touch } from '../sandboxes/store.ts'
import { type MappedSandbox, selectMappedSandbox } from './store.ts'

const retrySeconds = 2
/** Use of a sandbox is written down so often at the most. */
const touchEveryMs = 1000

/** Where each mapping leads right now. */
export class MappingDirectory {
  readonly #pool: Pool
  readonly #keeper: MachineKeeper
  readonly #listener: Pick<Listener, 'isFresh'>
  readonly #log: Logger
  readonly #sandboxes = new VouchedCache<MappedSandbox | undefined>()
  readonly #touchedAt = new WeakMap<MappedSandbox, number>()

  constructor(pool: Pool, keeper: MachineKeeper, listener: Pick<Listener, 'isFresh'>, log: Logger) {
    this.#pool = pool
    this.#keeper = keeper
    this.#listener = listener
    this.#log = log
  }

  /** No promise where it is remembered. */
  readonly find = (id: string): Destination | Promise<Destination> => {
    const remembered = this.#sandboxes.recall(id, this.#listener)
    if (remembered) return this.#into(remembered)
    return this.#sandboxes
      .get(id, this.#listener, () => selectMappedSandbox(this.#pool.prepared, id))
      .then(sandbox => this.#into(sandbox))
  }

  #into(sandbox: MappedSandbox | undefined): Destination {
    if (!sandbox) throw new ApiError('mapping.NOT_FOUND')
    const { status, node_id, node_url, machine_id, target } = sandbox
    if (status !== 'RUNNING')
      throw new ApiError('mapping.NOT_RUNNING', {
        message: `The sandbox of this mapping is ${status}.`,
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

  #touch(sandbox: MappedSandbox): void {
    if (sandbox.idle_seconds === null) return
    const now = Date.now()
    if (now - (this.#touchedAt.get(sandbox) ?? 0) < touchEveryMs) return
    this.#touchedAt.set(sandbox, now)
    touch(this.#pool.db, sandbox).catch(error =>
      this.#log.warn({ sandbox: sandbox.id, error }, 'the use of a sandbox was not written down'),
    )
  }
}
