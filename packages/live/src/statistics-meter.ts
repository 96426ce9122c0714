import { encodeStatistics, type Frame, parseStatistics } from '@sandglass/wire/frames'
import type { Conversation } from './connecting/conversation.ts'
import type { LiveStatistics } from './live-events.ts'

const intervalMs = 1000

/** Counts the frames and bytes of one connection and measures its round-trip time. */
export class StatisticsMeter {
  readonly #conversation: Conversation
  readonly #timer: ReturnType<typeof setInterval>
  #number = 0
  #sentAt = 0
  #latencyMs: number | undefined
  #frames = 0
  #since = performance.now()
  #bytesBefore = 0

  constructor(conversation: Conversation, onStatistics: (statistics: LiveStatistics) => void) {
    this.#conversation = conversation
    this.#ping()
    this.#timer = setInterval(() => {
      onStatistics(this.#statistics())
      this.#ping()
    }, intervalMs)
  }

  receive(raw: Frame): void {
    const frame = parseStatistics(raw)
    if (frame.type === 'ping')
      this.#conversation.send(encodeStatistics({ type: 'pong', number: frame.number }))
    else if (frame.number === this.#number) this.#latencyMs = performance.now() - this.#sentAt
  }

  frameDrawn(): void {
    this.#frames += 1
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #ping(): void {
    this.#number += 1
    this.#sentAt = performance.now()
    this.#conversation.send(encodeStatistics({ type: 'ping', number: this.#number }))
  }

  #statistics(): LiveStatistics {
    const now = performance.now()
    const seconds = (now - this.#since) / 1000
    const { link, receivedBytes } = this.#conversation
    const statistics = {
      transport: link.transport,
      latencyMs: this.#latencyMs,
      bytesPerSecond: (receivedBytes - this.#bytesBefore) / seconds,
      framesPerSecond: this.#frames / seconds,
    }
    this.#since = now
    this.#bytesBefore = receivedBytes
    this.#frames = 0
    return statistics
  }
}
