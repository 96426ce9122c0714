import type { RoomSession, SessionListener } from '@sandglass/gateway/session'
import type { Caller, Channel } from '@sandglass/rpc'
import type { InputFrame } from '@sandglass/wire/frames'
import { type FromSession, parseFromSession } from './from-session.ts'
import type { liveMethods } from './methods.ts'
import { Outbox } from './outbox.ts'
import { RemotePicture } from './remote-picture.ts'
import { encodeToSession, type ToSession } from './to-session.ts'

/** More than viewers can send before a worker that does anything at all takes some of it. */
const maxUntakenBytes = 16 * 1024 * 1024
/** Later faults of a session are not reported, so that a worker cannot fill the log. */
const maxFaults = 100

/** A session with a machine whose screen is in a worker. It fails when the worker is gone or sends what it must not. */
export class RemoteSession implements RoomSession {
  readonly picture = new RemotePicture(message => this.#tell(message))
  readonly #channel: Channel
  readonly #outbox: Outbox
  readonly #listener: SessionListener
  /** Those who wait for a release, by the number of that input. */
  readonly #releases = new Map<number, () => void>()
  #inputs = 0
  #appliedInputs = 0
  /** Whether something was held after the inputs that were applied. */
  #wasHolding = false
  #copied: string | undefined
  #faults = 0
  #isClosed = false
  #hasFailed = false

  constructor(caller: Pick<Caller<typeof liveMethods>, 'start'>, machine: string, listener: SessionListener) {
    this.#listener = listener
    const { channels, answer } = caller.start('live.session', { machine })
    const [channel] = channels
    if (!channel) throw new Error('a session has a channel')
    this.#channel = channel
    this.#outbox = new Outbox(channel, maxUntakenBytes)
    let reason = new Error('the worker ended the session')
    const because = (error: Error) => {
      reason = error
    }
    channel.on('data', (message: Buffer) => this.#receive(message))
    channel.once('end', () => channel.end())
    channel.once('error', because)
    answer.catch(because)
    // An answer that came with the end of the channel is known a microtask later.
    channel.once('close', () => queueMicrotask(() => this.#lost(reason)))
  }

  /** Stays true if the worker is gone, because nobody has released what was held. */
  get isHolding(): boolean {
    return this.#appliedInputs !== this.#inputs || this.#wasHolding
  }

  get copied(): string | undefined {
    return this.#copied
  }

  do(input: InputFrame): void {
    this.#apply({ kind: 'input', input })
  }

  paste(text: string): void {
    this.#apply({ kind: 'paste', text })
  }

  release(): Promise<void> {
    if (!this.#channel.writable) return Promise.resolve()
    return new Promise(resolve => {
      this.#apply({ kind: 'release' })
      this.#releases.set(this.#inputs, resolve)
    })
  }

  /** The worker releases everything when it sees the end. Whoever waits for an earlier release goes on waiting. */
  close(): void {
    this.#isClosed = true
    this.picture.close()
    this.#channel.end()
  }

  #apply(message: ToSession): void {
    this.#inputs = (this.#inputs + 1) >>> 0
    this.#tell(message)
  }

  #tell(message: ToSession): void {
    this.#outbox.send(encodeToSession(message))
  }

  #receive(bytes: Buffer): void {
    try {
      this.#take(parseFromSession(bytes))
    } catch (error) {
      // Only this session ends, not the connection of the two processes.
      this.#channel.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #take(message: FromSession): void {
    if (message.kind === 'frame') this.picture.show(message.to, message.frame)
    else if (message.kind === 'released') this.#released(message.input)
    else if (message.kind === 'idle') this.#applied(message.inputs, message.isHolding)
    else if (!this.#isClosed) this.#report(message)
  }

  #applied(inputs: number, isHolding: boolean): void {
    this.#appliedInputs = inputs
    this.#wasHolding = isHolding
  }

  #released(input: number): void {
    this.#releases.get(input)?.()
    this.#releases.delete(input)
  }

  #report({ kind, text }: Extract<FromSession, { text: string }>): void {
    if (kind === 'copied') {
      this.#copied = text
      this.#listener.onCopy(text)
    } else if (kind === 'failure') this.#failed(new Error(text))
    else if (++this.#faults > maxFaults) return
    else if (kind === 'fault') this.#listener.onFault(new Error(text))
    else this.#listener.onPictureFault(new Error(text))
  }

  #lost(reason: Error): void {
    for (const resolve of this.#releases.values()) resolve()
    this.#releases.clear()
    this.#failed(reason)
  }

  #failed(reason: Error): void {
    if (this.#isClosed || this.#hasFailed) return
    this.#hasFailed = true
    this.#listener.onFailure(reason)
  }
}
