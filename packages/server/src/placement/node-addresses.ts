import type { Prepared } from '../db/database.ts'
import type { Listener } from '../db/listener.ts'
import { VouchedCache } from '../db/vouched-cache.ts'

const addressOfNode = 'SELECT url FROM nodes WHERE id = $1 AND lost_at IS NULL'

/** By which URLs the other processes are reached. They are cached, since every forwarded call asks for one. */
export class NodeAddresses {
  readonly #prepared: Prepared
  readonly #listener: Pick<Listener, 'isFresh'>
  readonly #urls = new VouchedCache<string | undefined>()

  constructor(prepared: Prepared, listener: Pick<Listener, 'isFresh'>) {
    this.#prepared = prepared
    this.#listener = listener
  }

  /** Undefined where there is no such node, or it was declared lost. No promise where the address is cached. */
  find(nodeId: string): string | undefined | Promise<string | undefined> {
    return this.#urls.recall(nodeId, this.#listener) ?? this.#read(nodeId)
  }

  async #read(nodeId: string): Promise<string | undefined> {
    return this.#urls.get(nodeId, this.#listener, async () => {
      const [node] = await this.#prepared<{ url: string | null }>('address-of-node', addressOfNode, nodeId)
      return node?.url ?? undefined
    })
  }

  /** A node was started anew, perhaps with another address. */
  forget(nodeId: string): void {
    this.#urls.forget(nodeId)
  }

  /** What was announced may have been missed. */
  forgetAll(): void {
    this.#urls.forgetAll()
  }
}
