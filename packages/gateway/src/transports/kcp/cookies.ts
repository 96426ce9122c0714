import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** The source of a datagram. */
export interface Remote {
  readonly address: string
  readonly port: number
}

/**
 * Stateless cookies that prove a client receives at the address that it sends from: 4 bytes of time, then the
 * HMAC-SHA-256 of the time, the client's nonce, the address and the port.
 */
export class Cookies {
  readonly #secret = randomBytes(32)
  readonly #lifeMs: number

  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs
  }

  issue(remote: Remote, nonce: Buffer, now: number): Buffer {
    const time = Buffer.alloc(4)
    time.writeUInt32LE(Math.floor(now) >>> 0)
    return Buffer.concat([time, this.#sign(remote, nonce, time)])
  }

  isValid(cookie: Buffer, remote: Remote, nonce: Buffer, now: number): boolean {
    const time = cookie.subarray(0, 4)
    if (!timingSafeEqual(cookie.subarray(4), this.#sign(remote, nonce, time))) return false
    const ageMs = (Math.floor(now) - time.readUInt32LE()) | 0
    return ageMs >= 0 && ageMs <= this.#lifeMs
  }

  #sign({ address, port }: Remote, nonce: Buffer, time: Buffer): Buffer {
    return createHmac('sha256', this.#secret).update(time).update(nonce).update(`${port} ${address}`).digest()
  }
}
