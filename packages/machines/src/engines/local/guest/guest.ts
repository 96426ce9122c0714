import type { FileHandle } from 'node:fs/promises'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { MachineActivity } from '../../../contract/activity.ts'
import { MachineError } from '../../../contract/errors.ts'
import { machinePaths } from '../machine-paths.ts'
import { dialPort } from '../network/dial-port.ts'
import type { PortDialer } from '../network/port-dialer.ts'
import { connectIn } from '../network/unix-socket.ts'
import { type CgroupLayout, groupOf, isFrozen, outOfMemoryKills } from '../oci/cgroups.ts'
import { activityOf } from '../oci/group-activity.ts'
import { hasEnded } from '../oci/init-process.ts'
import type { Settings } from '../options.ts'
import { assertStorable } from '../rootfs/storable.ts'
import { openOfGuest } from './open-of-guest.ts'

/** How long the service waits for an agent, which may have been replaced by one that never answers. */
export interface AgentTimeouts {
  /** For an answer. Large folders take seconds to list or to watch. */
  readonly answerMs: number
  /** For the answer to a request whose work depends on the amount of data: copies, removals, syncs to disk. */
  readonly longAnswerMs: number
  /** For the next piece of content. */
  readonly idleMs: number
}

export const agentTimeouts: AgentTimeouts = { answerMs: 60_000, longAnswerMs: 1_800_000, idleMs: 60_000 }

/**
 * The sockets of a machine that the host sees: the agent's and those of its screen. A virtual machine may also have one that
 * takes the input of its virtual devices, and one of QEMU's guest agent.
 */
export type GuestSocket = 'agent' | 'rfb' | 'x11' | 'input' | 'qga'

/** What is known of a machine that is used through its virtual hardware instead of our agent. */
export interface GuestConsole {
  /** The system inside, as far as its paths and its shell are concerned. */
  readonly os: 'linux' | 'windows'
  /** Whether it has a channel to QEMU's guest agent, which starts programs and reads and writes files. */
  readonly guestAgent: boolean
}

/** What the kernel says about a machine that no longer answers. */
export interface Ending {
  readonly hasEnded: boolean
  readonly ranOutOfMemory: boolean
  /** Whether the guest of a virtual machine shut it down. Undefined where nothing but the guest itself would know. */
  readonly wasShutDown?: boolean
}

/** A connection into a machine: a socket, or what behaves as one. It emits `timeout` when nothing was transferred for the time that was set. */
export interface GuestStream extends Duplex {
  setTimeout(milliseconds: number): this
  /** Lets this process end although the connection is open. */
  unref(): this
  /** Undoes `unref`. */
  ref(): this
}

/**
 * The way into a machine: what only the host can do for whoever talks to it. None of it reads what the machine sends, so
 * the host can do it for a process that has no rights of its own.
 */
export interface GuestAccess<Stream extends GuestStream = Socket> {
  /** Connects to a socket. STATE if the machine is paused, because it would not answer until it is resumed. */
  connect(socket: GuestSocket, signal?: AbortSignal): Promise<Stream>
  /** Connects to a port from the host. Undefined if the machine's network is not that of the host's kernel. */
  readonly dialPort: ((address: string, port: number, signal?: AbortSignal) => Promise<Stream>) | undefined
  /** Whether the machine is not paused. */
  isAwake(): Promise<boolean>
  /** Fails if the host has no space for this many more bytes on the machine's disk. */
  assertStorable(bytes: number): Promise<void>
  /** What its processes do, if only by its own account. Undefined if nobody can say. */
  activity(): Promise<MachineActivity | undefined>
  /** Called after the connection to process 1 was lost. */
  ending(): Promise<Ending>
  /** Opens a file that a process of the machine has open, by numbers of the machine. Only in the process of the host. */
  readonly openFile?: (pid: number, fd: number, access: 'read' | 'write') => Promise<FileHandle | undefined>
}

/** What callers need to talk to a machine. */
export interface Guest<Stream extends GuestStream = GuestStream> extends GuestAccess<Stream> {
  readonly timeouts: AgentTimeouts
}

/** The process closes its sockets some milliseconds before it has ended. */
const endTimeoutMs = 1500

export interface GuestOptions {
  /** The path of its cgroup, if that is not the one of its id. */
  readonly group?: string
  readonly ports?: PortDialer | undefined
  /** Nothing reads from the connections then, so that they can be passed to another process. */
  readonly isUnread?: boolean
}

export function guestOf(
  id: string,
  settings: Settings,
  layout: CgroupLayout,
  { group = groupOf(settings.instance, id), ports, isUnread = false }: GuestOptions = {},
): Guest<Socket> {
  const paths = machinePaths(settings, id)
  const isAwake = async () => !(await isFrozen(layout, group))
  const assertAwake = async () => {
    if (!(await isAwake())) throw new MachineError('STATE', `machine ${id} is paused; resume it`)
  }
  return {
    timeouts: agentTimeouts,
    isAwake,
    async connect(socket, signal) {
      await assertAwake()
      const [folder, name] = socket === 'x11' ? [paths.x11, 'X0'] : [paths.sockets, socket]
      return connectIn(folder, name, signal, isUnread)
    },
    dialPort:
      ports &&
      (async (address, port, signal) => {
        await assertAwake()
        return dialPort(paths, ports, { address, port, isUnread }, signal)
      }),
    assertStorable: bytes => assertStorable(settings, paths.disk, bytes),
    activity: async () => activityOf(layout, group),
    ending: async () => ({
      hasEnded: await hasEnded(paths, endTimeoutMs),
      ranOutOfMemory: (await outOfMemoryKills(layout, group)) > 0,
    }),
    openFile: (pid, fd, access) => openOfGuest(paths, pid, fd, access),
  }
}
