import type { ApiError } from '@sandglass/protocol'
import type { InputFrame } from '@sandglass/wire/frames'
import type { RoomMachine, RoomSession } from '../session/session.ts'
import type { Connection } from './connection.ts'
import type { Pass, RoomHost, RoomState } from './host.ts'
import { Lease, type Notice } from './lease.ts'
import type { RoomTimeouts } from './timeouts.ts'
import { type Hello, Viewer, type ViewerListener, type ViewerRequest } from './viewer.ts'
import { Watchdog } from './watchdog.ts'

/** How often a viewer's input can ask for a machine that is away. */
const missEveryMs = 1000

/** A viewer, as others see them. */
export interface RoomViewer {
  /** The id of the connection. */
  readonly id: string
  readonly name: string
  readonly since: Date
  readonly isInControl: boolean
}

/** The viewers of one sandbox, and which of them has control. */
export class Room implements ViewerListener {
  readonly id: string
  readonly #host: RoomHost
  readonly #timeouts: RoomTimeouts
  readonly #onEmpty: () => void
  readonly #watchdog: Watchdog
  readonly #viewers = new Map<string, Viewer>()
  readonly #lease: Lease
  #machine: RoomMachine | undefined
  #session: RoomSession | undefined
  #absenceTimer: NodeJS.Timeout | undefined
  #reopenTimer: NodeJS.Timeout | undefined
  #arrived = 0
  #missedAt = Number.NEGATIVE_INFINITY

  constructor(id: string, host: RoomHost, state: RoomState, timeouts: RoomTimeouts, onEmpty: () => void) {
    this.id = id
    this.#host = host
    this.#timeouts = timeouts
    this.#watchdog = new Watchdog(timeouts.unheardMs)
    this.#onEmpty = onEmpty
    this.#machine = state.machine
    // Start from the current second, so that lease numbers keep growing across rooms of the same sandbox, whichever
    // process opens them.
    this.#lease = new Lease(Math.floor(host.now() / 1000), state.control, state.isCalled)
  }

  get size(): number {
    return this.#viewers.size
  }

  get viewers(): readonly RoomViewer[] {
    return [...this.#viewers.values()].map(({ viewer, name, since }) => ({
      id: viewer,
      name,
      since,
      isInControl: this.#lease.isHeldBy(viewer),
    }))
  }

  get control(): 'agent' | 'user' {
    return this.#lease.control
  }

  /** Whether nobody is here and nobody is expected back. */
  get isEmpty(): boolean {
    return this.#viewers.size === 0 && !this.#lease.isAway
  }

  enter(connection: Connection, hello: Hello, pass: Pass): void {
    const viewer = new Viewer(`v${++this.#arrived}`, hello, pass, connection, this)
    this.#viewers.set(viewer.viewer, viewer)
    viewer.say(viewer.welcome)
    const { number } = this.#lease
    this.#change(() => (viewer.may('input') ? this.#lease.come(viewer) : []))
    if (this.#lease.number === number) viewer.say(this.#lease.message)
    const before = this.#session
    const session = this.#openSession()
    if (!this.#machine) {
      viewer.say({ kind: 'machine', isThere: false })
      this.#host.missed(this.id)
    } else {
      this.#host.used(this.id)
      if (session && before) viewer.attach(session.picture)
    }
    if (before?.copied !== undefined) viewer.copied(before.copied)
    viewer.begin()
  }

  say(viewer: Viewer, request: Exclude<ViewerRequest, { kind: 'renew' }>): void {
    if (request.kind === 'take') this.#take(viewer, request.force)
    else if (request.kind === 'handBack') this.#change(() => this.#lease.handBack(viewer.viewer))
    else this.#change(() => this.#lease.answer(viewer.viewer, request.viewer, request.grant))
  }

  /** Input with another lease number was meant for an earlier lease and is dropped. */
  input(viewer: Viewer, input: InputFrame): void {
    if (!this.#lease.isHeldBy(viewer.viewer) || input.lease !== this.#lease.number) return
    this.#host.used(this.id)
    const session = this.#session
    if (!session) {
      this.#miss()
      return
    }
    if ('x' in input) viewer.pointed(input.x, input.y)
    session.do(input)
    this.#watchdog.keep(viewer, session)
  }

  /** Once per second is enough, while a mouse that moves sends input many times per second. */
  #miss(): void {
    if (this.#machine || performance.now() - this.#missedAt < missEveryMs) return
    this.#missedAt = performance.now()
    this.#host.missed(this.id)
  }

  paste(viewer: Viewer, text: string): void {
    if (!this.#lease.isHeldBy(viewer.viewer)) return
    this.#host.used(this.id)
    this.#session?.paste(text)
  }

  changed(viewer: Viewer): void {
    if (!viewer.may('input')) this.#change(() => this.#lease.lose(viewer.viewer))
    if (!viewer.may('view')) viewer.detach()
  }

  left(viewer: Viewer): void {
    if (this.#lease.isHeldBy(viewer.viewer)) void this.#session?.release()
    this.#viewers.delete(viewer.viewer)
    this.#change(() => {
      this.#lease.leave(viewer.viewer)
      return []
    })
    if (this.#viewers.size === 0) this.#closeSession()
    if (this.isEmpty) this.#onEmpty()
  }

  now(): number {
    return this.#host.now()
  }

  fault(error: unknown): void {
    this.#host.fault(this.id, error)
  }

  /** Calls a person to take over. */
  call(): void {
    this.#change(() => this.#lease.call())
  }

  /** Gives control back to the agent. */
  recall(): void {
    this.#change(() => this.#lease.recall())
  }

  /** Sets the machine after it was replaced, went away or came back. */
  use(machine: RoomMachine | undefined): void {
    if (machine === this.#machine) return
    this.#machine = machine
    this.#closeSession()
    if (!machine) this.#broadcast({ kind: 'machine', isThere: false })
    else if (this.#viewers.size > 0) {
      this.#broadcast({ kind: 'machine', isThere: true })
      this.#openSession()
    }
  }

  /** Checks for each viewer that its pass is still valid. */
  async check(): Promise<void> {
    await Promise.all([...this.#viewers.values()].map(viewer => viewer.check()))
  }

  close(reason: ApiError): void {
    for (const viewer of [...this.#viewers.values()]) viewer.dismiss(reason)
    this.#closeSession()
    // Nobody can return to a closed room.
    clearTimeout(this.#absenceTimer)
  }

  #take(viewer: Viewer, isForced: boolean): void {
    const right = isForced ? 'force' : 'input'
    if (viewer.may('input') && viewer.may(right)) this.#change(() => this.#lease.take(viewer, isForced))
    else viewer.say({ kind: 'refused', reason: `Your token does not have the right to this: ${right}.` })
  }

  /**
   * Applies a change of the lease, announces the new holder to everybody, and releases what the previous holder held
   * down.
   */
  #change(step: () => readonly Notice[]): void {
    const { number, control, person } = this.#lease
    const notices = step()
    if (this.#lease.number !== number) {
      this.#watchdog.end()
      const by = this.#lease.control === 'agent' ? person : this.#lease.person
      const tellHost = () => this.#host.controlled(this.id, this.#lease.control, this.#lease.isCalled, by)
      // Stop the agent before a person's input begins, and let it continue only after that input is released.
      if (this.#lease.control === 'user') tellHost()
      const released = this.#session?.release() ?? Promise.resolve()
      if (this.#lease.control === 'agent' && control === 'user') void released.then(tellHost)
      this.#broadcast(this.#lease.message)
    }
    for (const { to, message } of notices) this.#viewers.get(to)?.say(message)
    this.#scheduleGiveUp()
  }

  #scheduleGiveUp(): void {
    if (!this.#lease.isAway) {
      clearTimeout(this.#absenceTimer)
      this.#absenceTimer = undefined
      return
    }
    this.#absenceTimer ??= setTimeout(() => {
      this.#change(() => this.#lease.giveUp())
      if (this.isEmpty) this.#onEmpty()
    }, this.#timeouts.absenceMs).unref()
  }

  #broadcast(message: Parameters<Viewer['say']>[0]): void {
    for (const viewer of this.#viewers.values()) viewer.say(message)
  }

  #openSession(): RoomSession | undefined {
    if (this.#session || !this.#machine || this.#viewers.size === 0) return this.#session
    const onFailure = (error: unknown, failed?: RoomSession) => {
      this.#host.screenFailed(this.id, error)
      this.#reopenLater(failed)
    }
    try {
      const session: RoomSession = this.#machine.openSession({
        onCopy: text => this.#copied(text),
        onFault: error => this.fault(error),
        onPictureFault: error => this.#host.pictureFault(this.id, error),
        onFailure: error => onFailure(error, session),
      })
      this.#session = session
      for (const viewer of this.#viewers.values()) viewer.attach(session.picture)
    } catch (error) {
      // The machine cannot be reached at the moment.
      onFailure(error)
    }
    return this.#session
  }

  /** The screen may become available again a moment later. */
  #reopenLater(failed: RoomSession | undefined): void {
    if (this.#session !== failed) return
    clearTimeout(this.#reopenTimer)
    this.#reopenTimer = setTimeout(() => {
      if (this.#session !== failed) return
      this.#closeSession()
      this.#openSession()
    }, this.#timeouts.reopenMs).unref()
  }

  #copied(text: string): void {
    for (const viewer of this.#viewers.values()) viewer.copied(text)
  }

  #closeSession(): void {
    this.#watchdog.end()
    for (const viewer of this.#viewers.values()) viewer.detach()
    this.#session?.close()
    this.#session = undefined
  }
}
