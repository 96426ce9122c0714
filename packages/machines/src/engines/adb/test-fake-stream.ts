import { AdbCommand, type AdbPacketData } from '@yume-chan/adb'

type Send = (command: number, arg0: number, arg1: number, text?: string | Buffer) => boolean

/** Takes a service, refuses it, or leaves it to the fake device, which answers as one that is well does. */
export type OnService = (service: string, stream: FakeStream) => 'taken' | 'refused' | 'left'

const chunkBytes = 256 * 1024

/** A service of a fake device that somebody has opened. What follows waits until the other side has what came before, as in ADB. */
export class FakeStream {
  onData: (data: Buffer) => void = () => {}
  isClosed = false
  readonly #send: Send
  readonly #id: number
  readonly #queue: (Buffer | 'end')[] = []
  #isWaiting = true

  constructor(send: Send, id: number) {
    this.#send = send
    this.#id = id
  }

  write(data: Buffer | string): void {
    const bytes = Buffer.from(data)
    for (let at = 0; at < bytes.length; at += chunkBytes)
      this.#queue.push(bytes.subarray(at, at + chunkBytes))
    this.#next()
  }

  end(data: Buffer | string = ''): void {
    this.write(data)
    this.#queue.push('end')
    this.#next()
  }

  /** It is open, or the other side has what came before. */
  goOn(): void {
    this.#isWaiting = false
    this.#next()
  }

  /** As the other side has, where that was first. */
  close(): void {
    if (!this.isClosed) this.#send(AdbCommand.Close, this.#id, this.#id)
    this.isClosed = true
  }

  #next(): void {
    if (this.#isWaiting || this.isClosed) return
    const next = this.#queue.shift()
    if (next === undefined) return
    this.#isWaiting = true
    if (next === 'end') this.close()
    else this.#send(AdbCommand.Write, this.#id, this.#id, next)
  }
}

/** Those of one connection that are served otherwise than by the fake device itself. */
export class FakeStreams {
  readonly #send: Send
  readonly #onService: OnService
  readonly #streams = new Map<number, FakeStream>()

  constructor(send: Send, onService: OnService) {
    this.#send = send
    this.#onService = onService
  }

  /** Whether it was for these. */
  receive({ command, arg0: id, payload }: AdbPacketData): boolean {
    if (command === AdbCommand.Open) return this.#open(id, Buffer.from(payload).toString().replace(/\0$/, ''))
    const stream = this.#streams.get(id)
    if (!stream) return false
    if (command === AdbCommand.Okay) stream.goOn()
    if (command === AdbCommand.Close) stream.close()
    if (command === AdbCommand.Write) {
      this.#send(AdbCommand.Okay, id, id)
      stream.onData(Buffer.from(payload))
    }
    return true
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.isClosed = true
  }

  #open(id: number, service: string): boolean {
    const stream = new FakeStream(this.#send, id)
    const answer = this.#onService(service, stream)
    if (answer === 'refused') this.#send(AdbCommand.Close, 0, id)
    if (answer === 'taken') {
      this.#streams.set(id, stream)
      this.#send(AdbCommand.Okay, id, id)
      stream.goOn()
    }
    return answer !== 'left'
  }
}
