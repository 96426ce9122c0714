import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { MachineActivity } from '../../../contract/activity.ts'
import { MachineError } from '../../../contract/errors.ts'
import { MuxSession } from '../../../mux/index.ts'
import { ask } from '../../local/guest/agent-client.ts'
import {
  type AgentTimeouts,
  agentTimeouts,
  type Ending,
  type Guest,
  type GuestSocket,
} from '../../local/guest/guest.ts'
import { keepAlive } from './keep-alive.ts'
import { ToldActivity } from './told-activity.ts'

/** How a machine elsewhere is reached. */
export interface Way {
  /** Opens a byte stream to the end of the machine's channel. STATE or NOT_FOUND only if the machine does not run. */
  dial(): Promise<Duplex>
  /** Whether the machine is not paused. */
  isAwake(): Promise<boolean>
}

const openTimeoutMs = 10_000
const endTimeoutMs = 5000
const endPauseMs = 50

/** The sockets of a machine that is not on this host, over one byte stream, which is opened again when it is lost. */
export class MuxGuest implements Guest {
  readonly timeouts: AgentTimeouts = agentTimeouts
  /** Ports are dialled from inside. */
  readonly dialPort = undefined
  readonly #way: Way
  readonly #activity = new ToldActivity(this)
  #session: Promise<MuxSession> | undefined
  #isClosed = false
  /** Called when a session was lost. */
  onLost: (reason: Error) => void = () => {}

  constructor(way: Way) {
    this.#way = way
  }

  async connect(socket: GuestSocket, signal?: AbortSignal): Promise<Awaited<ReturnType<MuxSession['open']>>> {
    if (!(await this.isAwake())) throw new MachineError('STATE', 'The machine is paused; resume it.')
    const session = await this.session()
    return await session.open(socket, { timeoutMs: openTimeoutMs, ...(signal && { signal }) })
  }

  /** The session that is open, or a new one. Callers that come together share it. */
  session(): Promise<MuxSession> {
    if (this.#isClosed) return Promise.reject(new MachineError('STATE', 'The machine was closed.'))
    this.#session ??= this.#start()
    return this.#session
  }

  async #start(): Promise<MuxSession> {
    try {
      const session = await MuxSession.connect(await this.#way.dial(), { timeoutMs: openTimeoutMs })
      void session.closed.then(reason => {
        this.#session = undefined
        if (!this.#isClosed) this.onLost(reason)
      })
      keepAlive(session)
      if (this.#isClosed) session.close()
      return session
    } catch (error) {
      this.#session = undefined
      throw error
    }
  }

  isAwake(): Promise<boolean> {
    return this.#way.isAwake()
  }

  /** The member counts the space, and says so when it is full. */
  async assertStorable(): Promise<void> {}

  /** What the machine says of itself, because asking the cluster many times per second would be slow. */
  activity(): Promise<MachineActivity | undefined> {
    return this.#activity.now()
  }

  /** The agent closes its connections some time before the machine has ended. */
  async ending(): Promise<Ending> {
    for (const untilMs = performance.now() + endTimeoutMs; ; await pause(endPauseMs)) {
      const hasEnded = await this.hasEnded()
      if (hasEnded || performance.now() > untilMs || (await this.#answers()))
        return { hasEnded, ranOutOfMemory: false }
    }
  }

  /** Whether the machine does not run, which the way to it tells. Without an answer, it may run. */
  async hasEnded(): Promise<boolean> {
    const isEnd = (failure: unknown) =>
      failure instanceof MachineError && (failure.code === 'STATE' || failure.code === 'NOT_FOUND')
    return await this.session().then(() => false, isEnd)
  }

  async #answers(): Promise<boolean> {
    return await ask(this, { op: 'ping' }, { signal: AbortSignal.timeout(endTimeoutMs) }).then(
      ({ socket }) => {
        socket.destroy()
        return true
      },
      () => false,
    )
  }

  close(): void {
    this.#isClosed = true
    void this.#session?.then(session => session.close()).catch(() => {})
  }
}
