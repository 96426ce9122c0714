import type { Duplex } from 'node:stream'
import { type Machine, MachineError, type MachineHandle } from '@sandglass/machines/contract'
import { type Handlers, type LinkClosed, Responder } from '@sandglass/rpc'
import { DirectMachine } from '../direct-machine.ts'
import { Encoders } from '../encoding/encoders.ts'
import { machineErrors } from '../errors.ts'
import { serveFiles } from '../files/index.ts'
import { serveLive } from '../live/serve-live.ts'
import type { GuestName, machineMethods } from '../machine-methods.ts'
import { servePorts } from '../ports/index.ts'
import { serveProcesses } from '../processes/index.ts'
import { DevelopsRaw } from '../raw/develops-raw.ts'
import type { RawFile } from '../raw/raw-file.ts'
import { serveRaw } from '../raw/serve-raw.ts'
import { AskedConnections } from '../reach/asked-connections.ts'
import { openers } from '../reach/openers.ts'
import type { Reach } from '../reach/reach-methods.ts'
import { serveScreens } from '../screen/serve-screen.ts'
import { type WorkerMethods, type WorkerNotices, workerMethods } from './methods.ts'

interface Served {
  readonly machine: Machine
  readonly direct: DirectMachine
}

/** Where the frames of a worker wait to be encoded. */
export interface WorkerFile {
  readonly file?: RawFile
  /** Whether the file is that of a worker that has ended. Its frames are only encoded here. */
  readonly isOld?: boolean
}

/** The longest line for the operator. */
const maxLineLength = 500

/** Talks to the machines that the front gives to this process, and to nobody else's. */
export class MachineWorker {
  readonly #open: (handle: MachineHandle) => Promise<Machine>
  readonly #machines = new Map<string, Served>()
  readonly #encoders: Encoders
  readonly #file: RawFile | undefined
  readonly #front: Responder<WorkerMethods, WorkerNotices>
  readonly #connections = new AskedConnections(question => this.#front.tell('dial', question))
  /** Resolves with the reason when the front is gone. */
  readonly ended: Promise<LinkClosed>
  #opened = 0

  /** `open` opens machines of this host. */
  constructor(
    link: Duplex,
    open: (handle: MachineHandle) => Promise<Machine>,
    { file, isOld = false }: WorkerFile = {},
  ) {
    this.#open = open
    this.#file = isOld ? undefined : file
    this.#encoders = new Encoders(error => console.error('An encoder thread crashed:', error))
    const raw = file && new DevelopsRaw(this.#encoders, file, { isOld })
    const find = (name: string) => this.#find(name).machine
    this.#front = new Responder(link, {
      methods: workerMethods,
      errors: machineErrors,
      handlers: {
        ...this.#handlers(),
        ...serveScreens(name => this.#find(name).direct, this.#encoders),
        ...serveRaw(raw, this.#encoders),
        ...serveFiles(find),
        ...serveProcesses(find),
        ...servePorts(find),
        ...serveLive(find),
        ...this.#connections.handlers,
      },
    })
    this.ended = this.#front.ended
    void this.ended.then(() => this.#closeAll())
  }

  close(): void {
    this.#front.close()
  }

  #handlers(): Handlers<typeof machineMethods> {
    return {
      'machine.open': async ({ handle, tenant, reach }, { bytes }) => {
        // The first picture would wait for the threads. Machines of the warm pool have none taken.
        if (tenant !== '') this.#encoders.warm()
        const machine = reach ? await this.#openReached(handle, reach, bytes) : await this.#open(handle)
        const name = String(++this.#opened)
        const direct = new DirectMachine(machine, this.#encoders, tenant, this.#file)
        this.#machines.set(name, { machine, direct })
        machine.onHealth = health => this.#front.tell('health', { machine: name, health })
        void machine.died.then(death => this.#front.tell('died', { machine: name, death }))
        const { screenSize, health } = machine
        return {
          machine: name,
          screenSize,
          guest: guestNameOf(machine),
          isPhone: machine.phone !== undefined,
          health,
        }
      },
      'machine.close': async ({ machine: name }) => {
        this.#machines.get(name)?.direct.close()
        this.#machines.delete(name)
      },
      'worker.ping': async () => {},
    }
  }

  async #openReached(
    handle: MachineHandle,
    { opening, details, hasFile }: Reach,
    bytes: Buffer,
  ): Promise<Machine> {
    const open = openers[handle.engine]
    if (!open)
      throw new MachineError('INVALID', `a worker cannot open machines of the engine ${handle.engine}`)
    return await open({
      handle,
      details,
      file: hasFile ? bytes : undefined,
      dial: () => this.#connections.dial(opening),
      tell: line => this.#front.tell('told', { opening, line: line.slice(0, maxLineLength) }),
    })
  }

  #find(name: string): Served {
    const served = this.#machines.get(name)
    if (!served) throw new MachineError('UNREACHABLE', 'This worker does not have the machine any more.')
    return served
  }

  #closeAll(): void {
    this.#connections.close()
    for (const { direct } of this.#machines.values()) direct.close()
    this.#machines.clear()
    void this.#encoders.close()
  }
}

function guestNameOf({ guest: { os, user, home, isConsole } }: Machine): GuestName {
  if (isConsole && os !== 'android') return { os: 'console', system: os }
  if (os === 'linux') return { os }
  if (os === 'android') return { os, user, home }
  throw new MachineError('INVALID', `a worker does not know the guests of ${os}`)
}
