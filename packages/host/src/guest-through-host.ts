import type { Socket } from 'node:net'
import type { Machine, MachineActivity, MachineHandle } from '@sandglass/machines/contract'
import {
  agentTimeouts,
  type Ending,
  type Guest,
  type GuestSocket,
  LocalMachine,
  type LocalReach,
} from '@sandglass/machines/local'
import { ConsoleMachine } from '@sandglass/machines/qemu-console'
import type { Caller, CallOptions } from '@sandglass/rpc'
import type { AccessMethods } from './access-methods.ts'
import type { PassedSockets } from './passed-sockets.ts'
import { reached } from './reached.ts'

type Host = Pick<Caller<AccessMethods>, 'call'>

/** Opens a machine in this process, with connections that the host makes and passes. */
export async function openThroughHost(
  host: Host,
  passed: PassedSockets,
  handle: MachineHandle,
  onClose: () => void = () => {},
): Promise<Machine> {
  const { hasPorts, ...rest } = await reached(host.call('reach', { handle }))
  const reach: LocalReach = { handle, ...rest }
  const guest = new GuestThroughHost(host, passed, handle, hasPorts)
  const { console } = reach
  return console
    ? await ConsoleMachine.open({ ...reach, console }, guest, onClose)
    : await LocalMachine.open(reach, guest, onClose)
}

/** The way into a machine for a process without rights. */
class GuestThroughHost implements Guest<Socket> {
  readonly timeouts = agentTimeouts
  readonly dialPort: Guest<Socket>['dialPort']
  readonly #host: Host
  readonly #passed: PassedSockets
  readonly #handle: MachineHandle

  constructor(host: Host, passed: PassedSockets, handle: MachineHandle, hasPorts: boolean) {
    this.#host = host
    this.#passed = passed
    this.#handle = handle
    this.dialPort = hasPorts
      ? (address, port, signal) =>
          this.#take(o => host.call('dialPort', { handle, address, port }, o), signal)
      : undefined
  }

  connect(socket: GuestSocket, signal?: AbortSignal): Promise<Socket> {
    const handle = this.#handle
    return this.#take(options => this.#host.call('connect', { handle, socket }, options), signal)
  }

  isAwake(): Promise<boolean> {
    return reached(this.#host.call('isAwake', { handle: this.#handle }))
  }

  assertStorable(bytes: number): Promise<void> {
    return reached(this.#host.call('assertStorable', { handle: this.#handle, bytes }))
  }

  async activity(): Promise<MachineActivity | undefined> {
    return (await reached(this.#host.call('activity', { handle: this.#handle }))) ?? undefined
  }

  ending(): Promise<Ending> {
    return reached(this.#host.call('ending', { handle: this.#handle }))
  }

  async #take(
    ask: (options: CallOptions) => Promise<{ readonly connection: number }>,
    signal?: AbortSignal,
  ): Promise<Socket> {
    const socket = await this.#passed.take((await reached(ask({ signal }))).connection)
    if (signal?.aborted) socket.destroy()
    signal?.throwIfAborted()
    return socket
  }
}
