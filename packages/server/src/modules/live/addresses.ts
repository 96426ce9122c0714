import type { Connect, Gateway } from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import type { Placement } from '../../placement/placement.ts'

/** A transport by which viewers reach this process. */
export interface LiveTransport {
  readonly gatewayType: Gateway
  readonly port: number
  readonly path?: string
}

/** The part of the connection details that is the same for every room of a process. */
export type ConnectAddresses = Pick<Connect, 'gatewayAddresses' | 'certificateHashBase64'>

/**
 * Returns the transports that are available now. They can change, because a new certificate can come with another port.
 */
type TransportSource = () => readonly LiveTransport[]

/** Publishes the addresses at which viewers reach this process, and looks up those of other processes. */
export class LiveAddresses {
  readonly #db: Database
  readonly #placement: Placement
  readonly #sources: TransportSource[] = []
  #address = ''
  #published = ''
  /** Returns the hash of the current certificate, or an empty string if no transport has one. */
  certificateHash: () => string = () => ''

  constructor(db: Database, placement: Placement) {
    this.#db = db
    this.#placement = placement
  }

  /** Sets the address at which every transport of this process is reached. */
  begin(address: string): void {
    this.#address = address
  }

  add(source: TransportSource): void {
    this.#sources.push(source)
  }

  /** Writes the addresses to the database for the other processes, unless nothing changed. */
  async publish(): Promise<void> {
    const text = JSON.stringify(this.#own())
    if (text === this.#published) return
    await this.#db.updateTable('nodes').set({ live: text }).where('id', '=', this.#placement.nodeId).execute()
    this.#published = text
  }

  /** Returns the addresses of the process that has the machine, or of this process if none has it yet. */
  async of(sandbox: { readonly node_id: string | null }): Promise<ConnectAddresses> {
    const location = this.#placement.locate(sandbox)
    if (location.at !== 'node') return this.#own()
    const { nodeId } = location
    const node = await this.#db.selectFrom('nodes').select('live').where('id', '=', nodeId).executeTakeFirst()
    return node?.live ?? { gatewayAddresses: [], certificateHashBase64: '' }
  }

  #own(): ConnectAddresses {
    const transports = this.#sources.flatMap(source => source())
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
