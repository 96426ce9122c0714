import { duplexPair } from 'node:stream'
import type { RoomMachine, RoomSession, SessionListener } from '@sandglass/gateway/session'
import type { Machine } from '@sandglass/machines/contract'
import { Caller, type Handlers, Responder } from '@sandglass/rpc'
import { liveMethods } from '../methods.ts'
import { RemoteSession } from '../remote-session.ts'
import { serveLive } from '../serve-live.ts'

/** A front and a worker in this process, and the connection between them. */
export class WorkerLink implements RoomMachine {
  readonly caller: Caller<typeof liveMethods>
  readonly #responder: Responder<typeof liveMethods>

  constructor(handlers: Handlers<typeof liveMethods>) {
    const [front, back] = duplexPair()
    this.caller = new Caller(front, { methods: liveMethods })
    this.#responder = new Responder(back, { methods: liveMethods, handlers })
  }

  static to(machine: Pick<Machine, 'screen'>): WorkerLink {
    return new WorkerLink(serveLive(() => machine))
  }

  openSession(listener: SessionListener): RoomSession {
    return new RemoteSession(this.caller, 'a machine', listener)
  }

  /** As if the worker had died. */
  cut(): void {
    this.#responder.close()
  }
}
