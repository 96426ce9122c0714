import { MachineError } from '../../../contract/errors.ts'
import type { IncusClient } from '../client/index.ts'
import { formerOf, type Instance, idOfFormer, instanceOf, nextOf } from './instance.ts'
import type { InstanceNames } from './instance-names.ts'
import { unlessBusy } from './unless-busy.ts'

const renameDeadlineMs = 60_000

/** Replaces the disks of machines, so that a process that ends at any moment leaves either the old or the new one. */
export class DiskSwap {
  readonly #client: IncusClient
  readonly #names: InstanceNames
  readonly #remove: (name: string) => Promise<void>

  constructor(client: IncusClient, names: InstanceNames, remove: (name: string) => Promise<void>) {
    this.#client = client
    this.#names = names
    this.#remove = remove
  }

  /** Gives a stopped machine the disk that was prepared for it. */
  async swap(id: string): Promise<void> {
    await this.#rename(this.#names.of(id), formerOf(id))
    this.#names.set(id, instanceOf(id))
    await this.promote(id)
  }

  /** Makes the prepared disk that of the machine. Several processes may do so at once. */
  async promote(id: string): Promise<void> {
    await this.#rename(nextOf(id), instanceOf(id)).catch(error => {
      const code = error instanceof MachineError ? error.code : undefined
      if (code !== 'NOT_FOUND' && code !== 'EXISTS') throw error
    })
  }

  /**
   * Removes the disks beside that of a machine. The former one goes first, because the next one is the machine's where there is
   * no other.
   */
  async clear(id: string): Promise<void> {
    await this.#remove(formerOf(id))
    await this.#remove(nextOf(id))
  }

  /** Removes the former disks of machines that have the next one already. What cannot be removed now is found again. */
  async clearFormer(instances: readonly Instance[]): Promise<void> {
    const names = new Set(instances.map(({ name }) => name))
    for (const name of names) {
      const id = idOfFormer(name)
      if (id !== undefined && names.has(instanceOf(id))) await this.#remove(name).catch(() => {})
    }
  }

  async #rename(from: string, to: string): Promise<void> {
    const options = { deadlineMs: renameDeadlineMs }
    await unlessBusy(this.#client, from, () =>
      this.#client.run('POST', `/instances/${from}`, { name: to }, options),
    )
  }
}
