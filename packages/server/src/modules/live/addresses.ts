import type { Connect, Gateway } from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import type { Placement } from '../../placement/placement.ts'

/** A way by which viewers reach this process. */
export interface LiveTransport {
  readonly gatewayType: Gateway
  readonly port: number
  readonly path?: string
}

/** What a viewer needs to know to connect, besides the room and the token. */
export type ConnectAddresses = Pick<Connect, 'gatewayAddresses' | 'certificateHashBase64'>

/** What answers now: a port may change, as with a certificate. */
type Answering = () => readonly LiveTransport[]

/** By which addresses viewers reach this process and the others. */
export class LiveAddresses {
  readonly #db: Database
  readonly #placement: Placement
  readonly #answering: Answering[] = []
  #address = ''
  #published = ''
  /** That of the certificate of now, where a transport has one. */
  certificateHash: () => string = () => ''

  constructor(db: Database, placement: Placement) {
    this.#db = db
    this.#placement = placement
  }

  /** Every transport of this process is reached at this address. */
  begin(address: string): void {
    this.#address = address
  }

  add(answering: Answering): void {
    this.#answering.push(answering)
  }

  /** Lets the other processes know. Nothing is written where nothing changed. */
  async publish(): Promise<void> {
    const text = JSON.stringify(this.#own())
    if (text === this.#published) return
    await this.#db.updateTable('nodes').set({ live: text }).where('id', '=', this.#placement.nodeId).execute()
    this.#published = text
  }

  /** Of the process that has the machine; of this one where none has it yet. */
  async of(sandbox: { readonly node_id: string | null }): Promise<ConnectAddresses> {
    const location = this.#placement.locate(sandbox)
    if (location.at !== 'node') return this.#own()
    const { nodeId } = location
    const node = await this.#db.selectFrom('nodes').select('live').where('id', '=', nodeId).executeTakeFirst()
    return node?.live ?? { gatewayAddresses: [], certificateHashBase64: '' }
  }

  #own(): ConnectAddresses {
    const transports = this.#answering.flatMap(answering => answering())
    const gatewayAddresses = transports.map(({ gatewayType, port, path }) => ({
      address: this.#address,
      port,
      gatewayType,
      name: gatewayType.toLowerCase().replaceAll('_', '-'),
      preferredProviders: ['GLOBAL_BGP' as const],
      ...(path !== undefined && { path }),
    }))
    return { gatewayAddresses, certificateHashBase64: this.certificateHash() }
  }
}
