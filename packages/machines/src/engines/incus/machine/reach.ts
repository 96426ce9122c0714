import type { Duplex } from 'node:stream'
import { MachineError } from '../../../contract/errors.ts'
import type { MachineReach } from '../../../contract/reach.ts'
import type { ScreenSize } from '../../../contract/spec.ts'

/** What a worker must know to open a machine of a cluster. */
export type ClusterDetails = { readonly screen: { readonly width: number; readonly height: number } }

/** The way of a worker to a machine of a cluster, as long as the engine is open. */
export class ClusterReach implements MachineReach {
  readonly details: ClusterDetails
  readonly #dial: () => Promise<Duplex>
  readonly #end = Promise.withResolvers<string | undefined>()
  readonly ended = this.#end.promise
  readonly #streams = new Set<Duplex>()
  #isClosed = false
  readonly onClose: () => void

  constructor({ width, height }: ScreenSize, dial: () => Promise<Duplex>, onClose: () => void) {
    this.details = { screen: { width, height } }
    this.#dial = dial
    this.onClose = onClose
  }

  async dial(): Promise<Duplex> {
    this.#requireOpen()
    const stream = await this.#dial()
    this.#streams.add(stream)
    stream.once('close', () => this.#streams.delete(stream))
    if (this.#isClosed) stream.destroy()
    this.#requireOpen()
    return stream
  }

  /** A worker has nothing to say about these machines that the operator would not see elsewhere. */
  tell(): void {}

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#end.resolve(undefined)
    for (const stream of this.#streams) stream.destroy()
    this.onClose()
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new MachineError('STATE', 'The machine was closed.')
  }
}
