import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { seeded } from '@sandglass/wire/testing'

export interface NetworkConditions {
  readonly seed: number
  readonly delayMs: number
  /** A random extra delay per datagram, which reorders them. */
  readonly jitterMs: number
  readonly loss: number
  readonly duplication: number
}

/**
 * A UDP relay on loopback between one client at a time and a port. It drops, delays, duplicates and reorders
 * datagrams, as decided by the seed.
 */
export class LossyPath {
  readonly #front: Socket
  readonly #back: Socket
  readonly #conditions: NetworkConditions
  readonly #random: () => number
  readonly #ended = new AbortController()
  /** The port that the client sends from. */
  #client: number | undefined
  /** While true, every datagram is dropped. */
  cut = false
  #lost = 0

  private constructor(front: Socket, back: Socket, target: number, conditions: NetworkConditions) {
    this.#front = front
    this.#back = back
    this.#conditions = conditions
    this.#random = seeded(conditions.seed)
    front.on('message', (datagram, { port }) => {
      this.#client = port
      this.#carry(() => back.send(datagram, target, '127.0.0.1'))
    })
    back.on('message', datagram => this.#carry(() => front.send(datagram, this.#client, '127.0.0.1')))
  }

  static async to(target: number, conditions: Partial<NetworkConditions> = {}): Promise<LossyPath> {
    const perfect = { seed: 1, delayMs: 0, jitterMs: 0, loss: 0, duplication: 0 }
    const [front, back] = await Promise.all([bound(), bound()])
    return new LossyPath(front, back, target, { ...perfect, ...conditions })
  }

  get port(): number {
    return this.#front.address().port
  }

  get lost(): number {
    return this.#lost
  }

  close(): void {
    this.#ended.abort()
    this.#front.close()
    this.#back.close()
  }

  #carry(send: () => void): void {
    const { delayMs, jitterMs, loss, duplication } = this.#conditions
    const copies = this.#random() < duplication ? 2 : 1
    for (let copy = 0; copy < copies; copy++) {
      const waitMs = delayMs + this.#random() * jitterMs
      if (this.#random() < loss || this.cut) this.#lost++
      else delay(waitMs, undefined, { signal: this.#ended.signal }).then(send, () => {})
    }
  }
}

async function bound(): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 }).bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return socket
}
