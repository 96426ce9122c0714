import { MachineError, type MachineReach } from '@sandglass/machines/contract'
import type { Caller } from '@sandglass/rpc'
import { Allowance } from '@sandglass/wire/limits'
import { only } from '../channels.ts'
import { machineErrors } from '../errors.ts'
import { joinConnection } from './join-connection.ts'
import { maxConnections } from './max-connections.ts'
import type { reachMethods } from './reach-methods.ts'

/** More than a worker asks for, even if it asks again before this process has noticed that it closed others. */
const maxDials = 2 * maxConnections

/** More than the machines of one worker have to say. */
const linesPerSecond = 5

/** The machines elsewhere that one worker may connect to. It gets bytes of those, and of nothing else. */
export class GrantedReaches {
  readonly #worker: () => Caller<typeof reachMethods>
  readonly #granted = new Map<number, MachineReach>()
  readonly #lines = new Allowance(linesPerSecond)
  #openings = 0
  #dials = 0

  constructor(worker: () => Caller<typeof reachMethods>) {
    this.#worker = worker
  }

  /** Lets the worker connect to a machine from now on, and returns the number by which it asks for that. */
  grant(reach: MachineReach): number {
    const opening = ++this.#openings
    this.#granted.set(opening, reach)
    return opening
  }

  /** Closes the connections of the worker to the machine. */
  withdraw(opening: number): void {
    this.#granted.get(opening)?.close()
    this.#granted.delete(opening)
  }

  withdrawAll(): void {
    for (const opening of [...this.#granted.keys()]) this.withdraw(opening)
  }

  /** The worker asks for a connection. Throws if it asks for more than it should, because each question takes memory. */
  dial({ dial, opening }: { readonly dial: number; readonly opening: number }): void {
    if (this.#dials >= maxDials) throw new Error('a worker that dials without end')
    this.#dials++
    void this.#connect(dial, opening).finally(() => this.#dials--)
  }

  tell({ opening, line }: { readonly opening: number; readonly line: string }): void {
    if (this.#lines.take(1)) this.#granted.get(opening)?.tell(line)
  }

  async #connect(dial: number, opening: number): Promise<void> {
    const worker = this.#worker()
    try {
      const connection = await this.#find(opening).dial()
      const { channels, answer } = worker.start('reach.connected', { dial })
      answer.catch(() => {})
      await joinConnection(connection, only(channels))
    } catch (error) {
      await worker.call('reach.failed', { dial, error: machineErrors.describe(error) }).catch(() => {})
    }
  }

  #find(opening: number): MachineReach {
    const reach = this.#granted.get(opening)
    if (!reach)
      throw new MachineError('MACHINE_FAILED', 'the machine has ended, or belongs to another worker')
    return reach
  }
}
