import type { Duplex } from 'node:stream'
import { type RoomSession, ScreenSession, type SessionListener } from '@sandglass/gateway/session'
import type {
  Death,
  Endpoint,
  ExecSpec,
  Files,
  GuestProfile,
  Machine,
  MachineHandle,
  MachineHealth,
  MachineProcess,
  ScreenSize,
} from '@sandglass/machines/contract'
import type { RunningMachine } from './contract/index.ts'
import type { Encoders } from './encoding/encoders.ts'
import type { RawFile } from './raw/raw-file.ts'
import { DirectScreen } from './screen/direct-screen.ts'

/** A running machine that is open in this process. */
export class DirectMachine implements RunningMachine {
  readonly screen: DirectScreen
  readonly isPhone: boolean
  readonly #machine: Machine
  #tenant: string

  constructor(machine: Machine, encoders: Encoders, tenant = '', file?: RawFile) {
    this.#machine = machine
    this.#tenant = tenant
    this.isPhone = machine.phone !== undefined
    this.screen = new DirectScreen(machine, encoders, () => this.#tenant, file)
  }

  get handle(): MachineHandle {
    return this.#machine.handle
  }

  get screenSize(): ScreenSize {
    return this.#machine.screenSize
  }

  get guest(): GuestProfile {
    return this.#machine.guest
  }

  get files(): Files {
    return this.#machine.files
  }

  get died(): Promise<Death> {
    return this.#machine.died
  }

  get health(): MachineHealth {
    return this.#machine.health
  }

  get onHealth(): (health: MachineHealth) => void {
    return this.#machine.onHealth
  }

  set onHealth(onHealth: (health: MachineHealth) => void) {
    this.#machine.onHealth = onHealth
  }

  belongsTo(tenant: string): void {
    this.#tenant = tenant
  }

  async reopen(): Promise<void> {}

  exec(spec: ExecSpec): Promise<MachineProcess> {
    return this.#machine.exec(spec)
  }

  dial(endpoint: Endpoint, options?: { readonly signal?: AbortSignal }): Promise<Duplex> {
    return this.#machine.dial(endpoint, options)
  }

  openSession(listener: SessionListener): RoomSession {
    return new ScreenSession(this.#machine.screen, listener)
  }

  close(): void {
    this.screen.close()
    this.#machine.close()
  }
}
