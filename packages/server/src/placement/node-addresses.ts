import type { Prepared } from '../db/database.ts'
import type { Listener } from '../db/listener.ts'
import { VouchedCache } from '../db/vouched-cache.ts'

const addressOfNode = 'SELECT url FROM nodes WHERE id = $1 AND lost_at IS NULL'

/** The URLs of the other processes. They are cached because every forwarded call needs one. */
export class NodeAddresses {
  readonly #prepared: Prepared
  readonly #listener: Pick<Listener, 'isFresh'>
  readonly #urls = new VouchedCache<string | undefined>()

  constructor(prepared: Prepared, listener: Pick<Listener, 'isFresh'>) {
    this.#prepared = prepared
    this.#listener = listener
  }

  /** Returns undefined if there is no such node or it was declared lost. A cached URL is returned without a promise. */
  find(nodeId: string): string | undefined | Promise<string | undefined> {
    return this.#urls.recall(nodeId, this.#listener) ?? this.#read(nodeId)
  }

  async #read(nodeId: string): Promise<string | undefined> {
    return this.#urls.get(nodeId, this.#listener, async () => {
      const [node] = await this.#prepared<{ url: string | null }>('address-of-node', addressOfNode, nodeId)
      return node?.url ?? undefined
    })
  }

  /** Call this when a node has restarted, because its address may have changed. */
  forget(nodeId: string): void {
    this.#urls.forget(nodeId)
  }

  /** Call this when announcements may have been missed. */
  forgetAll(): void {
    this.#urls.forgetAll()
  }
}
