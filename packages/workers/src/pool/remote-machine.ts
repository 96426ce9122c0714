import type { Duplex } from 'node:stream'
import type { RoomSession, SessionListener } from '@sandglass/gateway/session'
import {
  type Death,
  type Endpoint,
  type ExecSpec,
  type Files,
  type GuestProfile,
  MachineError,
  type MachineHandle,
  type MachineHealth,
  type MachineProcess,
  type MachineState,
  type ScreenSize,
  wholeMachine,
} from '@sandglass/machines/contract'
import { type Failure, Supervised } from '@sandglass/supervision'
import type { RunningMachine, RunningScreen } from '../contract/index.ts'
import { unreachable } from '../errors.ts'
import { filesOfCurrent } from './files-of-current.ts'
import type { OpenedMachine } from './opened-machine.ts'
import { screenOfCurrent } from './screen-of-current.ts'

/** How a machine is opened in the worker of a tenant, and how it is when that fails. */
export interface Opening {
  open(tenant: string): Promise<OpenedMachine>
  inspect(): Promise<MachineState>
}

/**
 * A running machine that a worker talks to. If the worker ends, the machine is opened in another one. Calls that were
 * under way fail with UNREACHABLE; those that follow wait until it is open again.
 */
export class RemoteMachine implements RunningMachine {
  readonly handle: MachineHandle
  readonly screenSize: ScreenSize
  readonly guest: GuestProfile
  readonly isPhone: boolean
  readonly files: Files
  readonly screen: RunningScreen
  readonly #supervised: Supervised<OpenedMachine>
  readonly #death = Promise.withResolvers<Death>()
  readonly died = this.#death.promise
  #tenant: string
  #health: MachineHealth
  onHealth: (health: MachineHealth) => void = () => {}

  private constructor(handle: MachineHandle, tenant: string, first: OpenedMachine, opening: Opening) {
    this.handle = handle
    this.screenSize = first.screenSize
    this.guest = first.guest
    this.isPhone = first.isPhone
    this.#tenant = tenant
    this.#health = first.health
    let opened: OpenedMachine | undefined = first
    this.#supervised = new Supervised({
      open: async () => {
        const machine = opened ?? (await opening.open(this.#tenant))
        opened = undefined
        return this.#follow(machine)
      },
      ended: machine => machine.ended,
      close: machine => machine.close(),
      backoff: { firstMs: 20, maxMs: 2000 },
      probes: true,
      onFailure: failure => void this.#failed(failure, opening),
    })
    this.#supervised.hold()
    const current = () => this.#supervised.get()
    this.files = filesOfCurrent(current)
    this.screen = screenOfCurrent(current)
  }

  static async open(handle: MachineHandle, tenant: string, opening: Opening): Promise<RemoteMachine> {
    return new RemoteMachine(handle, tenant, await opening.open(tenant), opening)
  }

  get health(): MachineHealth {
    return this.#health
  }

  belongsTo(tenant: string): void {
    if (tenant === this.#tenant) return
    this.#tenant = tenant
    this.#supervised.release()
  }

  async reopen(): Promise<void> {
    await this.#supervised.get()
  }

  async exec(spec: ExecSpec): Promise<MachineProcess> {
    return (await this.#supervised.get()).exec(spec)
  }

  async dial(endpoint: Endpoint, options?: { readonly signal?: AbortSignal }): Promise<Duplex> {
    return (await this.#supervised.get()).dial(endpoint, options)
  }

  openSession(listener: SessionListener): RoomSession {
    const { current } = this.#supervised
    if (!current) {
      this.reopen().catch(() => {})
      throw unreachable(undefined)
    }
    return current.openSession(listener)
  }

  close(): void {
    this.#supervised.close(new MachineError('STATE', 'the machine was closed'))
  }

  #follow(machine: OpenedMachine): OpenedMachine {
    const tell = () => {
      this.#health = machine.health
      this.onHealth(this.#health)
    }
    machine.onHealth = tell
    if (machine.health !== this.#health) tell()
    void machine.died.then(death => this.#died(death))
    return machine
  }

  /** A machine that cannot be opened again may have ended while nobody watched it. */
  async #failed(failure: Failure | undefined, opening: Opening): Promise<void> {
    if (!failure) return
    const { status, reason = 'the first process of the machine ended' } = await opening
      .inspect()
      .catch((): MachineState => ({ status: 'unreachable' }))
    if (status === 'missing') this.#died({ reason, orderly: false, cause: 'engine-lost' })
    if (status === 'lost') this.#died({ reason, orderly: false, cause: 'member-lost' })
    if (status === 'stopped') this.#died({ reason, orderly: false })
    if (this.#supervised.current) return
    const text = failure.reason instanceof Error ? failure.reason.message : String(failure.reason)
    const problem = { component: wholeMachine, reason: text, since: failure.since }
    this.#health = { ...this.#health, problem }
    this.onHealth(this.#health)
  }

  #died(death: Death): void {
    this.#death.resolve(death)
    this.#supervised.close(new MachineError('MACHINE_FAILED', death.reason))
  }
}
