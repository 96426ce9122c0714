import type { AdbPacketData } from '@yume-chan/adb'

/** The ADB library takes about two milliseconds for so many small packets. */
const packetsPerTurn = 100

/**
 * Passes packets on in order, a limited number per turn of the event loop. A chunk may contain thousands of packets, and
 * the ADB library would process all of them before anything else that this process does.
 */
export class PacketQueue {
  readonly #passOn: (packet: AdbPacketData) => void
  readonly #onEmpty: () => void
  #packets: AdbPacketData[] = []
  #next = 0
  #turn: NodeJS.Immediate | undefined

  /** `onEmpty` is called whenever everything was passed on. */
  constructor(passOn: (packet: AdbPacketData) => void, onEmpty: () => void) {
    this.#passOn = passOn
    this.#onEmpty = onEmpty
  }

  get isEmpty(): boolean {
    return this.#packets.length === 0
  }

  add(packets: Iterable<AdbPacketData>): void {
    for (const packet of packets) this.#packets.push(packet)
    if (!this.#turn) this.#passOnSome()
  }

  /** Passes everything on at once. */
  flush(): void {
    const rest = this.#packets.slice(this.#next)
    this.clear()
    for (const packet of rest) this.#passOn(packet)
  }

  clear(): void {
    clearImmediate(this.#turn)
    this.#turn = undefined
    this.#packets = []
    this.#next = 0
  }

  #passOnSome(): void {
    this.#turn = undefined
    const end = Math.min(this.#next + packetsPerTurn, this.#packets.length)
    while (this.#next < end) {
      const packet = this.#packets[this.#next++]
      if (packet) this.#passOn(packet)
    }
    if (this.#next < this.#packets.length) this.#turn = setImmediate(() => this.#passOnSome())
    else {
      this.clear()
      this.#onEmpty()
    }
  }
}
