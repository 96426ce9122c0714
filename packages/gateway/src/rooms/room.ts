import type { Machine } from '@sandglass/machines/contract'
import type { ApiError } from '@sandglass/protocol'
import type { InputFrame } from '@sandglass/wire/frames'
import type { Connection } from './connection.ts'
import type { Pass, RoomHost, RoomState } from './host.ts'
import { Lease, type Notice } from './lease.ts'
import { Stage } from './stage.ts'
import type { Times } from './times.ts'
import { type Doings, type Hello, type Saying, Viewer } from './viewer.ts'
import { Watchdog } from './watchdog.ts'

/** Those who look at one sandbox, and who of them has the control. */
export class Room implements Doings {
  readonly id: string
  readonly #host: RoomHost
  readonly #times: Times
  readonly #onEmpty: () => void
  readonly #watchdog: Watchdog
  readonly #viewers = new Map<string, Viewer>()
  readonly #lease: Lease
  #machine: Machine | undefined
  #stage: Stage | undefined
  #absence: NodeJS.Timeout | undefined
  #arrived = 0

  constructor(id: string, host: RoomHost, state: RoomState, times: Times, onEmpty: () => void) {
    this.id = id
    this.#host = host
    this.#times = times
    this.#watchdog = new Watchdog(times.unheardMs)
    this.#onEmpty = onEmpty
    this.#machine = state.machine
    // Seconds grow from room to room of the same sandbox, whichever process has it.
    this.#lease = new Lease(Math.floor(host.now() / 1000), state.control, state.isCalled)
  }

  get size(): number {
    return this.#viewers.size
  }

  get control(): 'agent' | 'user' {
    return this.#lease.control
  }

  /** Nobody is here, and nobody who was is waited for. */
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
    const before = this.#stage
    const stage = this.#open()
    if (!stage) viewer.say({ kind: 'machine', isThere: false })
    else if (before) viewer.attach(stage.picture)
    if (before?.clipboard.copied !== undefined) viewer.copied(before.clipboard.copied)
    viewer.begin()
  }

  say(viewer: Viewer, saying: Exclude<Saying, { kind: 'renew' }>): void {
    if (saying.kind === 'take') this.#take(viewer, saying.force)
    else if (saying.kind === 'handBack') this.#change(() => this.#lease.handBack(viewer.viewer))
    else this.#change(() => this.#lease.answer(viewer.viewer, saying.viewer, saying.grant))
  }

  /** What carries another number than that of now was meant for a moment that is over. */
  input(viewer: Viewer, input: InputFrame): void {
    if (!this.#lease.isHeldBy(viewer.viewer) || input.lease !== this.#lease.number) return
    this.#host.used(this.id)
    const hands = this.#stage?.hands
    if (!hands) return
    if ('x' in input) viewer.pointed(input.x, input.y)
    hands.do(input)
    this.#watchdog.keep(viewer, hands)
  }

  paste(viewer: Viewer, text: string): void {
    if (!this.#lease.isHeldBy(viewer.viewer)) return
    this.#host.used(this.id)
    const stage = this.#stage
    stage?.hands.between(() => stage.clipboard.write(text))
  }

  changed(viewer: Viewer): void {
    if (!viewer.may('input')) this.#change(() => this.#lease.lose(viewer.viewer))
    if (!viewer.may('view')) viewer.detach()
  }

  left(viewer: Viewer): void {
    if (this.#lease.isHeldBy(viewer.viewer)) void this.#stage?.hands.release()
    this.#viewers.delete(viewer.viewer)
    this.#change(() => {
      this.#lease.leave(viewer.viewer)
      return []
    })
    if (this.#viewers.size === 0) this.#shut()
    if (this.isEmpty) this.#onEmpty()
  }

  now(): number {
    return this.#host.now()
  }

  fault(error: unknown): void {
    this.#host.fault(this.id, error)
  }

  /** A person is called to take over. */
  call(): void {
    this.#change(() => this.#lease.call())
  }

  /** The agent gets the control. */
  recall(): void {
    this.#change(() => this.#lease.recall())
  }

  /** The machine is another one, away, or there again. */
  use(machine: Machine | undefined): void {
    if (machine === this.#machine) return
    this.#machine = machine
    this.#shut()
    if (!machine) this.#tell({ kind: 'machine', isThere: false })
    else if (this.#viewers.size > 0) {
      this.#tell({ kind: 'machine', isThere: true })
      this.#open()
    }
  }

  /** Asks for each viewer whether its pass still holds. */
  async check(): Promise<void> {
    await Promise.all([...this.#viewers.values()].map(viewer => viewer.check()))
  }

  close(reason: ApiError): void {
    for (const viewer of [...this.#viewers.values()]) viewer.dismiss(reason)
    this.#shut()
    // Nobody comes back to a room that is closed.
    clearTimeout(this.#absence)
  }

  #take(viewer: Viewer, isForced: boolean): void {
    const right = isForced ? 'force' : 'input'
    if (viewer.may('input') && viewer.may(right)) this.#change(() => this.#lease.take(viewer, isForced))
    else viewer.say({ kind: 'refused', reason: `Your token does not have the right to this: ${right}.` })
  }

  /** Tells everybody where the control went, and lets go of what its former holder held down. */
  #change(step: () => readonly Notice[]): void {
    const { number, control } = this.#lease
    const notices = step()
    if (this.#lease.number !== number) {
      this.#watchdog.end()
      const tellHost = () => this.#host.controlled(this.id, this.#lease.control, this.#lease.isCalled)
      // The agent is stopped before a person's hands are there, and goes on only when they are off.
      if (this.#lease.control === 'user') tellHost()
      const released = this.#stage?.hands.release() ?? Promise.resolve()
      if (this.#lease.control === 'agent' && control === 'user') void released.then(tellHost)
      this.#tell(this.#lease.message)
    }
    for (const { to, message } of notices) this.#viewers.get(to)?.say(message)
    this.#awaitReturn()
  }

  #awaitReturn(): void {
    if (!this.#lease.isAway) {
      clearTimeout(this.#absence)
      this.#absence = undefined
      return
    }
    this.#absence ??= setTimeout(() => {
      this.#change(() => this.#lease.giveUp())
      if (this.isEmpty) this.#onEmpty()
    }, this.#times.absenceMs).unref()
  }

  #tell(message: Parameters<Viewer['say']>[0]): void {
    for (const viewer of this.#viewers.values()) viewer.say(message)
  }

  #open(): Stage | undefined {
    if (this.#stage || !this.#machine || this.#viewers.size === 0) return this.#stage
    const stage: Stage = new Stage(this.#machine, this.#host, {
      onCopy: text => this.#copied(text),
      onFault: error => this.fault(error),
      onFailure: () => this.#reopenLater(stage),
    })
    this.#stage = stage
    for (const viewer of this.#viewers.values()) viewer.attach(stage.picture)
    return stage
  }

  /** A screen that cannot be watched now may be a moment later. */
  #reopenLater(failed: Stage): void {
    setTimeout(() => {
      if (this.#stage !== failed) return
      this.#shut()
      this.#open()
    }, this.#times.reopenMs).unref()
  }

  #copied(text: string): void {
    for (const viewer of this.#viewers.values()) viewer.copied(text)
  }

  #shut(): void {
    this.#watchdog.end()
    for (const viewer of this.#viewers.values()) viewer.detach()
    this.#stage?.close()
    this.#stage = undefined
  }
}
