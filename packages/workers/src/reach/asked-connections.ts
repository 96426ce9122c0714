import type { DeviceStream } from '@sandglass/machines/adb'
import { MachineError } from '@sandglass/machines/contract'
import type { Channel, Handlers } from '@sandglass/rpc'
import { only } from '../channels.ts'
import { machineErrors, unreachable } from '../errors.ts'
import { maxConnections } from './max-connections.ts'
import type { reachMethods } from './reach-methods.ts'

/** The connections for which a worker, which has no network, asks the front. */
export class AskedConnections {
  readonly #ask: (question: { readonly dial: number; readonly opening: number }) => void
  readonly #waiting = new Map<number, PromiseWithResolvers<DeviceStream>>()
  #asked = 0
  /** How many are open. */
  #open = 0

  constructor(ask: (question: { readonly dial: number; readonly opening: number }) => void) {
    this.#ask = ask
  }

  /** Asks for a connection to the machine of this opening. It fails as the attempt of the front did. */
  async dial(opening: number): Promise<DeviceStream> {
    if (this.#waiting.size + this.#open >= maxConnections)
      throw new MachineError('NO_CAPACITY', `A worker has at most ${maxConnections} connections to phones.`)
    const dial = ++this.#asked
    const answer = Promise.withResolvers<DeviceStream>()
    this.#waiting.set(dial, answer)
    this.#ask({ dial, opening })
    return await answer.promise
  }

  get handlers(): Handlers<typeof reachMethods> {
    return {
      'reach.connected': async ({ dial }, { channels }) =>
        this.#take(dial).resolve(this.#opened(only(channels))),
      'reach.failed': async ({ dial, error }) => this.#take(dial).reject(machineErrors.revive(error)),
    }
  }

  /** The front is gone. */
  close(): void {
    for (const { reject } of this.#waiting.values()) reject(unreachable(undefined))
    this.#waiting.clear()
  }

  #take(dial: number): PromiseWithResolvers<DeviceStream> {
    const waiting = this.#waiting.get(dial)
    if (!waiting) throw new MachineError('STATE', 'nobody has asked for this connection')
    this.#waiting.delete(dial)
    return waiting
  }

  /** Makes the channel behave as a socket, which closes when the other side does. The front closes it after its last byte. */
  #opened(channel: Channel): DeviceStream {
    this.#open++
    channel.once('close', () => this.#open--)
    return Object.assign(channel, { allowHalfOpen: false, destroySoon: () => void channel.end() })
  }
}
