import type { Duplex } from 'node:stream'
import type { RoomSession, SessionListener } from '@sandglass/gateway/session'
import type {
  Death,
  Endpoint,
  ExecSpec,
  GuestProfile,
  MachineHandle,
  MachineHealth,
  MachineProcess,
  MachineReach,
  ScreenSize,
} from '@sandglass/machines/contract'
import { androidGuest, consoleGuest, debianGuest } from '@sandglass/machines/guests'
import { RemoteFiles } from '../files/index.ts'
import { RemoteSession } from '../live/remote-session.ts'
import type { GuestName } from '../machine-methods.ts'
import { remoteDial } from '../ports/index.ts'
import { remoteExec } from '../processes/index.ts'
import { RemoteScreen } from '../screen/remote-screen.ts'
import type { Admission, WorkerLink } from './worker-link.ts'

/** A machine that is open in one worker, until that ends or the machine is closed. */
export class OpenedMachine {
  readonly screenSize: ScreenSize
  readonly guest: GuestProfile
  readonly isPhone: boolean
  readonly files: RemoteFiles
  readonly screen: RemoteScreen
  health: MachineHealth
  /** Called with every change of `health`. */
  onHealth: () => void = () => {}
  readonly #name: string
  readonly #admission: Admission
  readonly #worker: WorkerLink
  readonly #death = Promise.withResolvers<Death>()
  readonly #end = Promise.withResolvers<void>()
  /** Settles when the machine itself has ended. */
  readonly died = this.#death.promise
  /** Settles when it is no longer open here: the worker has ended, or it was closed. */
  readonly ended = this.#end.promise

  private constructor(worker: WorkerLink, admission: Admission, opened: Awaited<ReturnType<typeof openIn>>) {
    const { machine, screenSize, guest, isPhone, health } = opened
    this.#worker = worker
    this.#name = machine
    this.#admission = admission
    this.screenSize = screenSize
    this.guest = profileOf(guest)
    this.isPhone = isPhone
    this.health = health
    this.files = new RemoteFiles(worker.caller, machine)
    this.screen = new RemoteScreen(worker.caller, machine, worker.worker.file)
    worker.listen(machine, {
      died: death => this.#die(death),
      health: now => {
        this.health = now
        this.onHealth()
      },
      ended: this.#end.resolve,
    })
  }

  /** `reach` is the way of the worker to a machine that is not on this host. */
  static async open(
    worker: WorkerLink,
    handle: MachineHandle,
    tenant: string,
    reach?: MachineReach,
  ): Promise<OpenedMachine> {
    const admission = await worker.admit(handle, reach)
    try {
      const machine = new OpenedMachine(
        worker,
        admission,
        await openIn(worker, handle, tenant, admission, reach),
      )
      void reach?.ended.then(reason => machine.#endByEngine(reason))
      return machine
    } catch (error) {
      if (reach) admission.end()
      throw error
    }
  }

  exec(spec: ExecSpec): Promise<MachineProcess> {
    return remoteExec(this.#worker.caller, this.#name, spec)
  }

  dial(endpoint: Endpoint, options?: { readonly signal?: AbortSignal }): Promise<Duplex> {
    return remoteDial(this.#worker.caller, this.#name, endpoint, options)
  }

  openSession(listener: SessionListener): RoomSession {
    return new RemoteSession(this.#worker.caller, this.#name, listener)
  }

  close(): void {
    this.#worker.release(this.#name, this.#admission)
    this.#end.resolve()
  }

  #endByEngine(reason: string | undefined): void {
    if (reason === undefined) this.close()
    else this.#die({ reason, orderly: false })
  }

  #die(death: Death): void {
    this.#death.resolve(death)
    this.close()
  }
}

function openIn(
  { caller }: WorkerLink,
  handle: MachineHandle,
  tenant: string,
  { opening }: Admission,
  { details, file }: Partial<MachineReach> = {},
) {
  if (opening === undefined || details === undefined) return caller.call('machine.open', { handle, tenant })
  const reach = { opening, details, hasFile: file !== undefined }
  return caller.call('machine.open', { handle, tenant, reach }, file ? { bytes: file } : {})
}

function profileOf(guest: GuestName): GuestProfile {
  if (guest.os === 'console') return consoleGuest(guest.system)
  return guest.os === 'linux' ? debianGuest : androidGuest(guest)
}
