import { AdbCommand, type AdbPacketData } from '@yume-chan/adb'

type Send = (command: number, arg0: number, arg1: number, text?: string | Buffer) => boolean

/** Accepts a service, refuses it, or leaves it to the default behaviour of the fake device. */
export type OnService = (service: string, stream: FakeStream) => 'taken' | 'refused' | 'left'

const chunkBytes = 256 * 1024

/** An open service of a fake device. As in ADB, each write waits until the previous one was acknowledged. */
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

  /** Called when the stream is open, or the other side has acknowledged the last write. */
  goOn(): void {
    this.#isWaiting = false
    this.#next()
  }

  /** Closes the stream, or confirms that the other side has closed it. */
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

/** The streams of one connection that are not served by the default behaviour of the fake device. */
export class FakeStreams {
  readonly #send: Send
  readonly #onService: OnService
  readonly #streams = new Map<number, FakeStream>()

  constructor(send: Send, onService: OnService) {
    this.#send = send
    this.#onService = onService
  }

  /** Returns whether the packet was for one of these streams. */
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
