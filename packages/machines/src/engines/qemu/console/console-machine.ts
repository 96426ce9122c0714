import type { Duplex } from 'node:stream'
import { MachineError } from '../../../contract/errors.ts'
import type { GuestProfile } from '../../../contract/guest-profile.ts'
import type { MachineHandle } from '../../../contract/handle.ts'
import type { MachineHealth } from '../../../contract/health.ts'
import type { Death, Endpoint, Machine } from '../../../contract/machine.ts'
import type { ExecSpec, MachineProcess } from '../../../contract/process.ts'
import type { ScreenSize } from '../../../contract/spec.ts'
import { consoleGuest } from '../../../guests/console.ts'
import { HealthRecord } from '../../health-record.ts'
import type { GuestConsole } from '../../local/guest/guest.ts'
import { tcpTarget } from '../../local/network/dial.ts'
import { exec } from './agent/exec.ts'
import { GuestAgent } from './agent/guest-agent.ts'
import type { ConsoleAccess } from './console-access.ts'
import { ConsoleScreen } from './console-screen.ts'
import { ConsoleFiles } from './files/console-files.ts'
import { usLayout } from './input/us-layout.ts'
import { type ConsoleWatch, watchConsole } from './watch-console.ts'

/** What a process must know of a machine without our agent to talk to it, besides the way into it. */
export interface ConsoleReach {
  readonly handle: MachineHandle
  /** The size with which the screen begins. Firmware and systems change it: `screen.size()` asks for the current one. */
  readonly screenSize: ScreenSize
  readonly console: GuestConsole
}

/** A machine whose guest has no agent of ours: its screen by VNC, its input by QMP, and the rest by QEMU's guest agent. */
export class ConsoleMachine implements Machine {
  readonly handle: MachineHandle
  readonly screenSize: ScreenSize
  readonly guest: GuestProfile
  readonly files: ConsoleFiles
  readonly screen: ConsoleScreen
  readonly died: Promise<Death>
  readonly #access: ConsoleAccess
  readonly #agent: GuestAgent
  readonly #watch: ConsoleWatch
  readonly #health = new HealthRecord()
  readonly #onClose: () => void
  #isClosed = false

  private constructor(reach: ConsoleReach, access: ConsoleAccess, watch: ConsoleWatch, onClose: () => void) {
    this.handle = reach.handle
    this.screenSize = reach.screenSize
    this.guest = consoleGuest(reach.console.os)
    this.#access = access
    this.#watch = watch
    this.#onClose = onClose
    this.died = watch.died
    this.#agent = new GuestAgent(access, reach.console.guestAgent)
    this.files = new ConsoleFiles(this.#agent, this.guest, access)
    this.screen = new ConsoleScreen(access, usLayout, reach.screenSize, failure =>
      this.#health.screenFailed(failure),
    )
    // Close the screen, because callers would wait for one that never comes back.
    void watch.died.then(() => this.close())
  }

  /** Connects to a running machine. `onClose` is called once, when the machine has ended or was closed. */
  static async open(
    reach: ConsoleReach,
    access: ConsoleAccess,
    onClose: () => void,
  ): Promise<ConsoleMachine> {
    return new ConsoleMachine(reach, access, await watchConsole(access), onClose)
  }

  get health(): MachineHealth {
    return this.#health.now
  }

  set onHealth(onHealth: (health: MachineHealth) => void) {
    this.#health.onChange = onHealth
  }

  get onHealth(): (health: MachineHealth) => void {
    return this.#health.onChange
  }

  async exec(spec: ExecSpec): Promise<MachineProcess> {
    return await exec(this.#agent, this.guest, spec)
  }

  async dial(endpoint: Endpoint, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Duplex> {
    if (endpoint === 'screen:rfb') return await this.#access.connect('rfb', signal)
    if (endpoint === 'screen:x11' || endpoint === 'adb')
      throw new MachineError('INVALID', `${endpoint} cannot be reached: this machine has only screen:rfb`)
    const { dialPort } = this.#access
    if (endpoint.startsWith('unix:') || !dialPort)
      throw new MachineError(
        'INVALID',
        `${endpoint} cannot be reached: the system in this machine has no agent of ours that could connect to it`,
      )
    const { host, port } = tcpTarget(endpoint)
    return await dialPort(host, port, signal)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.screen.close()
    this.#watch.close()
    this.#onClose()
  }
}
