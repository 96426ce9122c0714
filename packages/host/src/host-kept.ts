import type { KeptDescription, KeptKind, KeptReader } from '@sandglass/machines/contract'
import type { Caller } from '@sandglass/rpc'
import type { HostMethods } from './methods.ts'
import type { PassedSockets } from './passed-sockets.ts'
import { reached } from './reached.ts'

/** Reads what an engine of the host keeps, in a process without rights. */
export class HostKept implements KeptReader {
  readonly #host: Caller<HostMethods>
  readonly #passed: PassedSockets
  readonly #engine: string

  constructor(host: Caller<HostMethods>, passed: PassedSockets, engine: string) {
    this.#host = host
    this.#passed = passed
    this.#engine = engine
  }

  async describe(kind: KeptKind, id: string): Promise<KeptDescription | undefined> {
    return (await reached(this.#host.call('describeKept', { engine: this.#engine, kind, id }))) ?? undefined
  }

  async read<T>(
    kind: KeptKind,
    id: string,
    use: (content: AsyncIterable<Uint8Array>) => Promise<T>,
  ): Promise<T> {
    const { connection } = await reached(this.#host.call('readKept', { engine: this.#engine, kind, id }))
    const content = await this.#passed.take(connection)
    try {
      const result = await use(content)
      // Content that breaks off ends like content that is complete.
      await reached(this.#host.call('keptRead', {}))
      return result
    } finally {
      content.destroy()
    }
  }
}
