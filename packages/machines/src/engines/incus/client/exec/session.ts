import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import type { CallOptions } from '../address.ts'
import { type Operation, readChannels } from '../answers.ts'
import { Deadline } from '../deadline.ts'
import { reasonOf, unreachable } from '../errors.ts'
import { watchHeartbeat } from '../heartbeat.ts'
import { succeeded } from '../outcome.ts'
import { ExecStream } from './stream.ts'

export interface ExecOptions extends CallOptions {
  readonly environment?: Record<string, string>
  /** The user id inside the instance. */
  readonly user?: number
}

/** A program that runs in an instance. */
export interface ExecSession {
  /** Standard input and output. It is destroyed with an UNREACHABLE error when the connection is lost. */
  readonly stream: Duplex
  /** The exit code, or undefined if the connection was lost, or closed by us, before it was known. */
  readonly exited: Promise<number | undefined>
  /** The end of standard error. */
  readonly errors: string
  /** For how long nothing has come back of what was sent. */
  readonly unansweredMs: number
  /** Counts that from now on, because there was a reason. */
  excuse(): void
  /** Kills the program if it still runs. */
  close(): void
}

/** What a session needs from the client. */
export interface ExecLink {
  readonly what: string
  readonly operation: Operation
  readonly pingEveryMs: number
  open(secret: string, prepare: (webSocket: WebSocket) => void): Promise<WebSocket>
  /** Resolves with the operation when the program has ended. */
  end(deadline: Deadline): Promise<Operation>
}

const maxErrorBytes = 4 * 1024
/** How long to wait for the exit code after a connection of the program has ended. */
const outcomeMs = 5_000
const exitCode = z.object({ return: z.number().int() })

/** Connects the channels of a program that waits for them. */
export async function openExec(link: ExecLink): Promise<ExecSession> {
  const session = new Session(link)
  try {
    await session.connect()
  } catch (error) {
    session.close()
    throw error
  }
  return session
}

class Session implements ExecSession {
  readonly stream: ExecStream
  readonly exited: Promise<number | undefined>
  readonly #link: ExecLink
  readonly #webSockets: WebSocket[] = []
  readonly #exit: (code: number | undefined) => void
  #errors = Buffer.alloc(0)
  #isClosed = false
  #settled: Promise<void> | undefined

  constructor(link: ExecLink) {
    this.#link = link
    this.stream = new ExecStream(() => this.close())
    const { promise, resolve } = Promise.withResolvers<number | undefined>()
    this.exited = promise
    this.#exit = resolve
    this.stream.once('end', () => this.exited.then(() => this.close()))
  }

  get errors(): string {
    return this.#errors.toString('utf8')
  }

  get unansweredMs(): number {
    return this.stream.unansweredMs
  }

  excuse(): void {
    this.stream.excuse()
  }

  async connect(): Promise<void> {
    const secrets = readChannels(this.#link.operation)
    // The program starts when it has its three streams. Control has to be there before, so that our end is noticed.
    const controlled = this.#open(secrets.control, control => this.#watch(control))
    await Promise.all([
      controlled,
      this.#open(secrets[0], input => {
        this.stream.writeTo(input)
        // Incus closes it last, and only when the program has ended.
        input.once('close', () => void this.#settle())
      }),
      this.#open(secrets[2], errors => errors.on('message', (data: Buffer) => this.#keep(data))),
      controlled.then(() =>
        this.#open(secrets[1], output => {
          this.stream.readFrom(output)
          this.#watch(output)
          output.once('close', async () => {
            await this.#settle()
            if (!this.stream.hasEnded) this.#lose('its output is incomplete')
          })
        }),
      ),
    ])
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    // Incus kills the program when the control connection ends.
    for (const webSocket of this.#webSockets) webSocket.terminate()
    this.#exit(undefined)
    this.stream.destroy()
  }

  async #open(secret: string, prepare: (webSocket: WebSocket) => void): Promise<void> {
    await this.#link.open(secret, webSocket => {
      this.#webSockets.push(webSocket)
      prepare(webSocket)
    })
  }

  #watch(webSocket: WebSocket): void {
    watchHeartbeat(webSocket, this.#link.pingEveryMs, () => this.#lose('the connection fell silent'))
  }

  #keep(data: Buffer): void {
    this.#errors = Buffer.concat([this.#errors, data]).subarray(-maxErrorBytes)
  }

  /** One connection has ended: either the program has, too, or the others are of no use. */
  #settle(): Promise<void> {
    this.#settled ??= this.#learnOutcome()
    return this.#settled
  }

  async #learnOutcome(): Promise<void> {
    if (this.#isClosed) return
    try {
      const operation = await this.#link.end(new Deadline(outcomeMs))
      const code = exitCode.safeParse(operation.metadata).data?.return ?? -1
      if (code < 0) succeeded(this.#link.what, operation)
      this.#exit(code < 0 ? undefined : code)
    } catch (error) {
      this.stream.destroy(error instanceof Error ? error : new Error(reasonOf(error)))
    }
  }

  #lose(reason: string): void {
    this.stream.destroy(unreachable(`${this.#link.what}: the connection was lost (${reason}).`))
  }
}
