import type { Connect, Gateway } from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'

/** A way by which viewers reach this process. */
export interface LiveTransport {
  readonly gatewayType: Gateway
  readonly port: number
  readonly path?: string
}

/** What a viewer needs to know to connect, besides the room and the token. */
export type Ways = Pick<Connect, 'gatewayAddresses' | 'certificateHashBase64'>

/** By which addresses viewers reach this process and the others. */
export class LiveAddresses {
  readonly #db: Database
  readonly #nodeId: string
  readonly #certificateHash: () => string
  #ways: Ways = { gatewayAddresses: [], certificateHashBase64: '' }
  #published = ''

  /** The hash is that of the certificate of now, or nothing where no transport has one. */
  constructor(db: Database, nodeId: string, certificateHash: () => string) {
    this.#db = db
    this.#nodeId = nodeId
    this.#certificateHash = certificateHash
  }

  /** These answer from now on, at this address. */
  answer(address: string, transports: readonly LiveTransport[]): void {
    const gatewayAddresses = transports.map(({ gatewayType, port, path }) => ({
      ...{ address, port, gatewayType, name: gatewayType.toLowerCase().replaceAll('_', '-') },
      preferredProviders: ['GLOBAL_BGP' as const],
      ...(path !== undefined && { path }),
    }))
    this.#ways = { gatewayAddresses, certificateHashBase64: '' }
  }

  /** Lets the other processes know. Nothing is written where nothing changed. */
  async publish(): Promise<void> {
    const text = JSON.stringify(this.#own())
    if (text === this.#published) return
    await this.#db.updateTable('nodes').set({ live: text }).where('id', '=', this.#nodeId).execute()
    this.#published = text
  }

  /** Of the process that has the machine; of this one where none has it yet. */
  async of(nodeId: string | null): Promise<Ways> {
    if (nodeId === null || nodeId === this.#nodeId) return this.#own()
    const node = await this.#db.selectFrom('nodes').select('live').where('id', '=', nodeId).executeTakeFirst()
    return node?.live ?? { gatewayAddresses: [], certificateHashBase64: '' }
  }

  #own(): Ways {
    return { ...this.#ways, certificateHashBase64: this.#certificateHash() }
  }
}
